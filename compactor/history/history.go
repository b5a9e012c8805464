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
	h := &History{View: v, Form: cp, Budget: b, Policy: p}
	h.Transcript = v.Transcript(h.Folded())
	h.Open = transcript.Open(h.Transcript.Calls)
	h.Need = needed(v, h.Transcript.Calls)
	h.Again = weighRefetches(v, cp, h.Transcript, h.Need)
	return h
}

// Folded returns how many messages the form so far replaces.
func (h *History) Folded() int { return folded(h.Form) }

// recent returns the start of the turns that are not masked: those that stay whole, and as many
// groups before them as fit into Policy.Protect.
func (h *History) recent() int {
	start := h.View.Protected()
	end := h.View.Before[len(h.View.Messages)]
	room := h.Policy.Protect.Tokens(h.Budget.Turns())
	for g := h.View.GroupAt(start) - 1; g >= 0; g-- {
		s := h.View.Groups[g].Start
		if end-h.View.Before[s] > room {
			break
		}
		start = s
	}
	return start
}

// Maskable returns the outputs that may be masked: those least likely to be needed first, and among
// equals the oldest first. An output that the agent fetched again after it was masked is needed, so
// it is not masked again.
func (h *History) Maskable() (outputs []int) {
	recent := h.recent()
	for i := h.Folded(); i < recent; i++ {
		c := h.Transcript.Answered(i)
		if c < 0 || !h.View.Messages[i].Role().Result() || h.Masked(i) || h.View.Stays(i) ||
			h.Transcript.HasQueued(i) || h.Again != nil && h.Again[c] ||
			!maskable(&h.Policy, &h.View.Messages[i], h.View.Tokens[i], &h.Transcript.Calls[c],
				h.Open[c]) {
			continue
		}
		outputs = append(outputs, i)
	}
	need := func(i int) int { return h.Need[h.Transcript.Answered(i)] }
	slices.SortStableFunc(outputs, func(a, b int) int { return need(a) - need(b) })
	return outputs
}

// FoldTo returns the message before which turns are to be folded: the earliest start of a group
// from which the tail fits into room tokens, or a later start at an assistant message, if there is
// one. It is never after the first message that the model has not answered, or after an open call.
// It returns 0 if nothing more can be folded.
func (h *History) FoldTo(room int) int {
	v, limit := h.View, h.View.Foldable()
	if limit <= h.Folded() {
		return 0
	}
	g, last := v.GroupAt(h.Folded()+1), v.GroupAt(limit)
	for g < last && checkpoint.TailAfterFold(v, h.Form, v.Groups[g].Start) > room {
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
