package plan

// What a form costs. The provider has the present form in its prompt cache: what a new
// one changes must be written again at the fresh price, and from then on each turn saves
// the difference in size at the cached price. What was hidden and is needed after all is
// fetched again. All amounts are tokens of fresh input, in thousandths where they are
// small: integers, so that every machine decides alike.

const (
	// CachedPrice is the price of a cached token in thousandths of a fresh one's:
	// what the current models of the large providers charge (a tenth). Older ones
	// charge more, which only makes a compaction pay sooner.
	CachedPrice = 100
	freshPrice  = 1000 - CachedPrice // what a token that was cached costs more

	// leastTurns is how many turns a conversation is expected to go on for at least.
	leastTurns = 4
)

// Outlook is what is expected of the turns to come. Nobody knows: a conversation
// is expected to go on for as many turns as it has had.
type Outlook struct {
	Turns int  // how many more there will be
	Cold  bool // the provider's cache has expired: this request is fresh in any form
}

// NewOutlook returns the outlook of a conversation that has had so many turns.
func NewOutlook(turns int, cold bool) Outlook {
	return Outlook{Turns: max(turns, leastTurns), Cold: cold}
}

// PerTurn is what each turn to come is expected to cost in a form, in thousandths of
// a fresh token: what it takes of the cache, and its share of what the form costs
// once.
func (l Outlook) PerTurn(o Option) int {
	once := 0
	switch {
	case l.Cold:
		once = freshPrice * o.After
	case o.Outcome != Stay:
		once = freshPrice * o.Rewritten
	}
	return CachedPrice*o.After + (once+1000*o.Loss)/l.Turns
}
