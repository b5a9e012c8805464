package history

import (
	"bytes"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/plan"
)

// Rewritten returns the number of tokens of the new form from the first change on. Messages that
// the model has not answered yet are not counted: they are fresh in any form.
func (h *History) Rewritten(next *checkpoint.Checkpoint) int {
	v := h.View
	unread := v.Before[len(v.Messages)] - v.Before[v.Unanswered()]
	if next.Fold == h.Folded() { // only masks: from the first new one on
		from := len(v.Messages)
		for i := range next.Masks {
			if !h.Masked(next.Masks[i].Index) {
				from = next.Masks[i].Index
				break
			}
		}
		return max(0, checkpoint.TailSize(v, next, from)-unread)
	}
	return max(0, checkpoint.Size(v, next, 0)-h.unchanged(next)-unread)
}

// unchanged returns the number of tokens that the new form, which folds more, has in common with
// the form so far, from its beginning on: those of records, or of long messages of the user, such
// as a pasted document. Shorter messages count as rewritten.
func (h *History) unchanged(next *checkpoint.Checkpoint) (tokens int) {
	switch {
	case next.Provider != nil || h.Form != nil && h.Form.Provider != nil:
		return 0
	case h.Folded() > 0 && len(next.Records) > len(h.Form.Records):
		return checkpoint.Tokens(h.Form.Records)
	case h.View.Strict: // all is one message
		return 0
	}
	for k, kept := range next.Records[0].Kept {
		if h.View.Staying(kept.Index) > 0 || !h.begins(k, &kept) {
			break
		}
		if kept.Tokens > h.Policy.MaxTaskTokens {
			tokens += kept.Tokens
		}
	}
	return tokens
}

// begins reports whether a kept message is message k of what the form so far sends.
func (h *History) begins(k int, kept *checkpoint.Kept) bool {
	if h.Folded() == 0 {
		return kept.Index == k && kept.Raw == nil
	}
	old := h.Form.Records[0].Kept
	return k < len(old) && old[k].Index == kept.Index && bytes.Equal(old[k].Raw, kept.Raw)
}

// Masked reports whether the form so far masks message i.
func (h *History) Masked(i int) bool { return masked(h.Form, i) }

// masked reports whether the form cp, which may be nil, masks message i. Masks are in order.
func masked(cp *checkpoint.Checkpoint, i int) bool {
	if cp == nil {
		return false
	}
	at := func(m checkpoint.Mask, i int) int { return m.Index - i }
	_, found := slices.BinarySearchFunc(cp.Masks, i, at)
	return found
}

// Loss returns the expected cost of hiding outputs, in tokens of fresh input: for each output, the
// chance that it is fetched again times the cost of that in a request of size after.
func (h *History) Loss(outputs func(yield func(i int) bool), after int) (tokens int) {
	for i := range outputs {
		if c := h.Transcript.Answered(i); c >= 0 {
			cost := h.Budget.Prices.Refetch(h.View.Tokens[i], after)
			tokens += h.Need[c] * (cost / plan.Fresh) / 1000
		}
	}
	return tokens
}
