package compactor

import (
	"slices"

	"killick/chat"
	"killick/transcript"
)

// frontier is what a plan is made over: a conversation, the form it has so far,
// and what may be done to it.
type frontier struct {
	v      *view
	cp     *Checkpoint // the form so far, nil if none
	budget Budget
	policy Policy
	t      *transcript.Transcript // from what is folded on, as it came
	stands []transcript.Standing  // for each of its calls
	need   []int                  // for each call, the chance that its output is needed again, in thousandths
	again  []bool                 // for each call, whether it fetched again what was hidden; nil if none did
}

func newFrontier(v *view, cp *Checkpoint, b Budget, p Policy) *frontier {
	f := &frontier{v: v, cp: cp, budget: b, policy: p}
	f.t = v.transcript(f.folded())
	f.stands = transcript.Judge(f.t.Calls)
	f.need = needed(v, f.t.Calls, f.stands)
	f.weighRefetches()
	return f
}

// folded is how many messages the form so far replaces.
func (f *frontier) folded() int {
	if f.cp == nil {
		return 0
	}
	return f.cp.Fold
}

// recent is where the turns start that stay whole: what the model has not
// answered yet, and as many groups before it as fit into the protected share of
// the target.
func (f *frontier) recent() int {
	start := f.v.protected()
	end := f.v.before[len(f.v.msgs)]
	room := f.policy.Protect.Tokens(f.budget.Target)
	for g := f.v.groupAt(start) - 1; g >= 0; g-- {
		s := f.v.groups[g].Start
		if end-f.v.before[s] > room {
			break
		}
		start = s
	}
	return start
}

// maskable returns the outputs that may be masked, those that are least likely to
// be needed first, of these the oldest first. What the agent fetched again after
// it was masked is needed: it is not masked again.
func (f *frontier) maskable() (outputs []int) {
	recent := f.recent()
	done := map[int]bool{}
	if f.cp != nil {
		for i := range f.cp.Masks {
			done[f.cp.Masks[i].Index] = true
		}
	}
	for i := f.folded(); i < recent; i++ {
		c := f.t.Answered(i)
		if c < 0 || done[i] || f.again != nil && f.again[c] || !f.policy.maskable(&f.v.msgs[i], f.v.tokens[i], &f.t.Calls[c], f.stands[c].Open) {
			continue
		}
		outputs = append(outputs, i)
	}
	slices.SortStableFunc(outputs, func(a, b int) int { return f.need[f.t.Answered(a)] - f.need[f.t.Answered(b)] })
	return outputs
}

// foldTo returns where to fold: the earliest start of a group at which the tail
// behind it fits into room tokens, moved on to an assistant message where there
// is one. It never passes what the model has not answered nor an open call. It
// returns 0 when nothing more can be folded.
func (f *frontier) foldTo(room int) int {
	v, limit := f.v, f.v.foldable()
	if limit <= f.folded() {
		return 0
	}
	g, last := v.groupAt(f.folded()+1), v.groupAt(limit)
	for g < last && v.tailOf(f.cp, v.groups[g].Start) > room {
		g++
	}
	for g < last && v.msgs[v.groups[g].Start].Role() != chat.Assistant {
		g++
	}
	if g >= len(v.groups) {
		return limit
	}
	return v.groups[g].Start
}

// tailOf is the size of the messages from start on, in the form cp.
func (v *view) tailOf(cp *Checkpoint, start int) int {
	n := v.before[len(v.msgs)] - v.before[start]
	if cp != nil {
		for i := range cp.Masks {
			if cp.Masks[i].Index >= start {
				n -= cp.Masks[i].Saved
			}
		}
	}
	return n
}

// foldableTokens is what could be folded or masked at most beyond the form cp.
func (v *view) foldableTokens(cp *Checkpoint) int {
	folded := 0
	if cp != nil {
		folded = cp.Fold
	}
	return v.before[max(folded, v.foldable())] - v.before[folded]
}
