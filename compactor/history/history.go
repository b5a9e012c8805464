package history

import (
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/transcript"
	"killick/view"
)

// History is what a plan is made over: a conversation, the form it has so far,
// and what may be done to it.
type History struct {
	View       *layout.View
	Form       *checkpoint.Checkpoint // the form so far, nil if none
	Budget     settings.Budget
	Policy     settings.Policy
	Transcript *transcript.Transcript // from what is folded on, as received
	Statuses   []transcript.FollowUp  // for each of its calls
	// for each call, the chance that its output is needed again, in thousandths
	Need  []int
	Again []bool // for each call, whether it fetched again what was hidden; nil if none did
}

// New reads what follows the form cp, nil for none.
func New(v *layout.View, cp *checkpoint.Checkpoint, b settings.Budget, p settings.Policy) *History {
	f := &History{View: v, Form: cp, Budget: b, Policy: p}
	f.Transcript = v.Transcript(f.Folded())
	f.Statuses = transcript.FollowUps(f.Transcript.Calls)
	f.Need = needed(v, f.Transcript.Calls, f.Statuses)
	f.weighRefetches()
	return f
}

// Folded is how many messages the form so far replaces.
func (f *History) Folded() int {
	if f.Form == nil {
		return 0
	}
	return f.Form.Fold
}

// recent is where the turns start that stay whole: what the model has not
// answered yet, and as many groups before it as fit into the protected share of
// the target.
func (f *History) recent() int {
	start := f.View.Protected()
	end := f.View.Before[len(f.View.Messages)]
	room := f.Policy.Protect.Tokens(f.Budget.Turns())
	for g := f.View.GroupAt(start) - 1; g >= 0; g-- {
		s := f.View.Groups[g].Start
		if end-f.View.Before[s] > room {
			break
		}
		start = s
	}
	return start
}

// Maskable returns the outputs that may be masked, those that are least likely to
// be needed first, of these the oldest first. What the agent fetched again after
// it was masked is needed: it is not masked again.
func (f *History) Maskable() (outputs []int) {
	recent := f.recent()
	done := map[int]bool{}
	if f.Form != nil {
		for i := range f.Form.Masks {
			done[f.Form.Masks[i].Index] = true
		}
	}
	for i := f.Folded(); i < recent; i++ {
		c := f.Transcript.Answered(i)
		if c < 0 || done[i] || f.View.Stays(i) || f.Again != nil && f.Again[c] ||
			!maskable(
				&f.Policy,
				&f.View.Messages[i],
				f.View.Tokens[i],
				&f.Transcript.Calls[c],
				f.Statuses[c].Open,
			) {
			continue
		}
		outputs = append(outputs, i)
	}
	need := func(i int) int { return f.Need[f.Transcript.Answered(i)] }
	slices.SortStableFunc(outputs, func(a, b int) int { return need(a) - need(b) })
	return outputs
}

// FoldTo returns where to fold: the earliest start of a group at which the tail after it fits into
// room tokens, moved on to an assistant message where there is one. It never passes what the model
// has not answered nor an open call. It returns 0 when nothing more can be folded.
func (f *History) FoldTo(room int) int {
	v, limit := f.View, f.View.Foldable()
	if limit <= f.Folded() {
		return 0
	}
	g, last := v.GroupAt(f.Folded()+1), v.GroupAt(limit)
	for g < last && checkpoint.TailBehindFold(v, f.Form, v.Groups[g].Start) > room {
		g++
	}
	for g < last && v.Messages[v.Groups[g].Start].Role() != view.Assistant {
		g++
	}
	if g >= len(v.Groups) {
		return limit
	}
	return v.Groups[g].Start
}
