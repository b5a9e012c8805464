package plan

// What a form costs. The provider has the present form in its prompt cache: what a new one changes
// must be written again, and from then on each turn saves what holding the difference costs. What
// was hidden and is needed after all is fetched again. All amounts are in ten-thousandths of a
// token of fresh input.

// leastTurns is how many turns a conversation is expected to go on for at least.
const leastTurns = 4

// Outlook is what is expected of the turns to come, and what they cost.
type Outlook struct {
	Turns  int  // how many more there will be
	Cold   bool // the provider's cache has expired: this request is written whole in any form
	Prices Prices
}

// NewOutlook returns the outlook of a conversation that has had so many turns. Nobody knows how
// many are to come: as many again.
func NewOutlook(turns int, cold bool, prices Prices) Outlook {
	return Outlook{Turns: max(turns, leastTurns), Cold: cold, Prices: prices}
}

// PerTurn is what each turn to come is expected to cost in a form: what it sends again, and its
// share of what the form costs once.
func (l Outlook) PerTurn(o Option) int {
	once := 0
	if l.Cold {
		once = l.Prices.Rewrite(o.After)
	} else if o.Outcome != Stay {
		once = l.Prices.Rewrite(o.Rewritten) * margin / 100
	}
	return l.Prices.Hold(o.After) + (once+Fresh*o.Loss*margin/100)/l.Turns
}

// margin is by how much more than expected a form must be worth what it costs once, in hundredths:
// a conversation may end soon after it.
const margin = 150
