package compactor

import (
	"slices"

	"killick/compactor/plan"
)

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
			tokens += f.need[c] * (f.v.tokens[i] + after*plan.CachedPrice/1000) / 1000
		}
	}
	return tokens
}
