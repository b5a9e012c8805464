package history

import (
	"bytes"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/plan"
)

// Rewritten returns the number of tokens of the new form from the first change on. Messages that
// the model has not answered yet are not counted: they are fresh in any form.
func (f *History) Rewritten(next *checkpoint.Checkpoint) int {
	v := f.View
	unread := v.Before[len(v.Messages)] - v.Before[v.Unanswered()]
	if next.Fold == f.Folded() { // only masks: from the first new one on
		from := len(v.Messages)
		for i := range next.Masks {
			if !f.Masked(next.Masks[i].Index) {
				from = next.Masks[i].Index
				break
			}
		}
		return max(0, checkpoint.TailSize(v, next, from)-unread)
	}
	return max(0, checkpoint.Size(v, next, 0)-f.unchanged(next)-unread)
}

// unchanged returns the number of tokens that the new form, which folds more, has in common with
// the form so far, from its beginning on: those of records, or of long messages of the user, such
// as a pasted document. Shorter messages count as rewritten.
func (f *History) unchanged(next *checkpoint.Checkpoint) (tokens int) {
	switch {
	case next.Provider != nil || f.Form != nil && f.Form.Provider != nil:
		return 0
	case f.Folded() > 0 && len(next.Records) > len(f.Form.Records):
		return checkpoint.Tokens(f.Form.Records)
	case f.View.Strict: // all is one message
		return 0
	}
	for k, kept := range next.Records[0].Kept {
		if f.View.Staying(kept.Index) > 0 || !f.begins(k, &kept) {
			break
		}
		if kept.Tokens > f.Policy.MaxPinTokens {
			tokens += kept.Tokens
		}
	}
	return tokens
}

// begins reports whether a kept message is message k of what the form so far sends.
func (f *History) begins(k int, kept *checkpoint.Kept) bool {
	if f.Folded() == 0 {
		return kept.Index == k && kept.Raw == nil
	}
	old := f.Form.Records[0].Kept
	return k < len(old) && old[k].Index == kept.Index && bytes.Equal(old[k].Raw, kept.Raw)
}

// Masked reports whether the form so far masks message i. Masks are in order.
func (f *History) Masked(i int) bool {
	if f.Form == nil {
		return false
	}
	at := func(m checkpoint.Mask, i int) int { return m.Index - i }
	_, found := slices.BinarySearchFunc(f.Form.Masks, i, at)
	return found
}

// Loss returns the expected cost of hiding outputs, in tokens of fresh input: for each output, the
// chance that it is fetched again times the cost of that in a request of size after.
func (f *History) Loss(outputs func(yield func(i int) bool), after int) (tokens int) {
	for i := range outputs {
		if c := f.Transcript.Answered(i); c >= 0 {
			cost := f.Budget.Prices.Refetch(f.View.Tokens[i], after)
			tokens += f.Need[c] * (cost / plan.Fresh) / 1000
		}
	}
	return tokens
}
