package fold

import (
	"fmt"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
)

// Old is the form so far, which a fold continues.
type Old struct {
	Fold    int
	Masks   []checkpoint.Mask
	Records []checkpoint.Record
	checkpoint.Details
}

// OldOf returns the form that a history has so far, or a form that folds nothing if there is none.
func OldOf(h *history.History) (*Old, error) {
	old := &Old{Details: checkpoint.Details{Summary: &summary.Summary{}}}
	if h.Form == nil {
		return old, nil
	}
	old.Masks = h.Form.Masks
	d, err := h.Form.Details()
	if err != nil {
		return nil, fmt.Errorf("reading the form so far: %w", err)
	}
	if d.Summary != nil {
		old.Fold, old.Records, old.Details = h.Form.Fold, h.Form.Records, d
	}
	return old, nil
}

// masksFrom returns the masks of messages from index to on, in order.
func (old *Old) masksFrom(to int) (masks []checkpoint.Mask) {
	for _, m := range old.Masks {
		if m.Index >= to {
			masks = append(masks, m)
		}
	}
	return masks
}
