package compactor

// A new form must earn what it costs. The provider has the old form in its
// prompt cache; what a new form changes must be written again at the fresh price,
// and from then on each turn saves the difference in size at the cached price.

// cachedPrice is the price of a cached token as a share of a fresh one's: what
// the current models of the large providers charge (0.1). Older ones charge
// more, which only makes a compaction pay sooner.
const cachedPrice = 0.1

// leastTurns is how many turns a conversation is expected to go on for at least.
const leastTurns = 4

// margin is how much more than its price a new form must be expected to save: a
// conversation that ends at once has paid for nothing.
const margin = 1.5

// pays tells whether going from a form of size to one of after tokens, of which
// rewritten were cached and no longer are, is expected to cost less than it
// saves. Nobody knows how many turns are to come: a conversation is expected to
// go on for as many as it has had.
func pays(size, after, rewritten, turns int) bool {
	saved := cachedPrice * float64(size-after) * float64(max(turns, leastTurns))
	return saved >= margin*(1-cachedPrice)*float64(rewritten)
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

func (f *frontier) masked(i int) bool {
	if f.cp != nil {
		for k := range f.cp.Masks {
			if f.cp.Masks[k].Index == i {
				return true
			}
		}
	}
	return false
}
