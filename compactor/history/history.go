package history

import (
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/transcript"
	"killick/view"
)

// History is the basis of a decision: a conversation, its present form, and what may be done to it.
type History struct {
	View       *layout.View
	Form       *checkpoint.Checkpoint // the form so far, nil if none
	Budget     settings.Budget
	Policy     settings.Policy
	Transcript *transcript.Transcript // as received, with the calls after what is folded
	Open       []bool                 // for each of its calls: see [transcript.Open]
	// Need is the chance that the output of each call is needed again, in thousandths.
	Need  []int
	Again []bool // for each call, whether it fetched a hidden output again; nil if none did
}

// New reads what the form cp does not fold. cp is nil if there is no form.
func New(v *layout.View, cp *checkpoint.Checkpoint, b settings.Budget, p settings.Policy) *History {
	f := &History{View: v, Form: cp, Budget: b, Policy: p}
	f.Transcript = v.Transcript(f.Folded())
	f.Open = transcript.Open(f.Transcript.Calls)
	f.Need = needed(v, f.Transcript.Calls)
	f.Again = weighRefetches(v, cp, f.Transcript, f.Need)
	return f
}

// Folded returns how many messages the form so far replaces.
func (f *History) Folded() int { return folded(f.Form) }

// recent returns the start of the turns that are not masked: those that stay whole, and as many
// groups before them as fit into Policy.Protect.
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

// Maskable returns the outputs that may be masked: those least likely to be needed first, and among
// equals the oldest first. An output that the agent fetched again after it was masked is needed, so
// it is not masked again.
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
		if c < 0 || done[i] || f.View.Stays(i) || f.Transcript.HasQueued(i) ||
			f.Again != nil && f.Again[c] ||
			!maskable(&f.Policy, &f.View.Messages[i], f.View.Tokens[i], &f.Transcript.Calls[c],
				f.Open[c]) {
			continue
		}
		outputs = append(outputs, i)
	}
	need := func(i int) int { return f.Need[f.Transcript.Answered(i)] }
	slices.SortStableFunc(outputs, func(a, b int) int { return need(a) - need(b) })
	return outputs
}

// FoldTo returns the message before which turns are to be folded: the earliest start of a group
// from which the tail fits into room tokens, or a later start at an assistant message, if there is
// one. It is never after the first message that the model has not answered, or after an open call.
// It returns 0 if nothing more can be folded.
func (f *History) FoldTo(room int) int {
	v, limit := f.View, f.View.Foldable()
	if limit <= f.Folded() {
		return 0
	}
	g, last := v.GroupAt(f.Folded()+1), v.GroupAt(limit)
	for g < last && checkpoint.TailAfterFold(v, f.Form, v.Groups[g].Start) > room {
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
