package compactor

import "slices"

// What a form costs. The provider has the present form in its prompt cache: what
// a new one changes must be written again at the fresh price, and from then on
// each turn saves the difference in size at the cached price. What was hidden and
// is needed after all is fetched again. All amounts are tokens of fresh input, in
// thousandths where they are small: integers, so that every machine decides alike.

const (
	// cachedPrice is the price of a cached token in thousandths of a fresh one's:
	// what the current models of the large providers charge (a tenth). Older ones
	// charge more, which only makes a compaction pay sooner.
	cachedPrice = 100
	freshPrice  = 1000 - cachedPrice // what a token that was cached costs more

	// leastTurns is how many turns a conversation is expected to go on for at
	// least.
	leastTurns = 4
)

// outlook is what is expected of the turns to come. Nobody knows: a conversation
// is expected to go on for as many turns as it has had.
type outlook struct {
	turns int  // how many more there will be
	cold  bool // the provider's cache has expired: this request is fresh in any form
}

func (f *frontier) outlook(cold bool) outlook {
	return outlook{turns: max(f.v.answered(), leastTurns), cold: cold}
}

// perTurn is what each turn to come is expected to cost in a form, in
// thousandths of a fresh token: what it takes of the cache, and its share of what
// the form costs once.
func (o *outlook) perTurn(p Option) int {
	once := 0
	switch {
	case o.cold:
		once = freshPrice * p.After
	case p.Outcome != MadeNothing:
		once = freshPrice * p.Rewritten
	}
	return cachedPrice*p.After + (once+1000*p.Loss)/o.turns
}

// rewritten is how many tokens of the new form stand behind the first that it
// changes, what the model has not answered yet apart: that is fresh in any form.
func (f *frontier) rewritten(next *Checkpoint) int {
	v := f.v
	unread := v.before[len(v.msgs)] - v.before[v.unread()]
	if next.Fold == f.folded() { // masks alone: from the first new one on
		from := len(v.msgs)
		for i := range next.Masks {
			if !f.masked(next.Masks[i].Index) {
				from = next.Masks[i].Index
				break
			}
		}
		return max(0, v.tailOf(next, from)-unread)
	}
	kept := 0
	if f.cp != nil && len(next.Records) > len(f.cp.Records) {
		kept = tokensOf(f.cp.Records)
	}
	return max(0, v.size(next, 0)-kept-unread)
}

// masked tells whether the form so far masks message i. Masks stand in order.
func (f *frontier) masked(i int) bool {
	if f.cp == nil {
		return false
	}
	_, found := slices.BinarySearchFunc(f.cp.Masks, i, func(m Mask, i int) int { return m.Index - i })
	return found
}

// loss is what hiding the outputs is expected to cost: the chance that each is
// fetched again, times its tokens and one more request of the size after.
func (f *frontier) loss(outputs func(yield func(i int) bool), after int) (tokens int) {
	for i := range outputs {
		if c := f.t.Answered(i); c >= 0 {
			tokens += f.need[c] * (f.v.tokens[i] + after*cachedPrice/1000) / 1000
		}
	}
	return tokens
}
