package checkpoint

import (
	"slices"

	"killick/compactor/layout"
	"killick/view"
)

// Render returns the body in the form that cp gives it: leading instructions, those of
// the folded turns in their order, what is sent in place of these turns, then the tail
// with its masks and truncated outputs.
func Render(v *layout.View, cp *Checkpoint, in Replacement) []byte {
	pieces := []view.Piece{{From: 0, To: v.Lead}}
	for i := range v.Messages[:cp.Fold] {
		if v.Messages[i].Role().Instructs() {
			pieces = append(pieces, view.Piece{From: v.Lead + i, To: v.Lead + i + 1})
		}
	}
	masks := cp.Masks
	tail := func(next, to int) {
		changed := len(v.Truncated) > 0 || len(v.Stubbed) > 0
		for i := next; i < to && (changed || len(masks) > 0); i++ {
			raw := v.Messages[i].Raw // truncated, where it is
			if len(masks) > 0 && masks[0].Index == i {
				raw, masks = Masked(&v.Messages[i], masks[0].Text), masks[1:]
			} else if _, truncated := v.Truncated[i]; !truncated &&
				!slices.Contains(v.Stubbed, i) {
				continue
			}
			pieces = append(pieces,
				view.Piece{From: v.Lead + next, To: v.Lead + i},
				view.Piece{From: v.Lead + i, To: v.Lead + i + 1, Raw: raw})
			next = i + 1
		}
		pieces = append(pieces, view.Piece{From: v.Lead + next, To: v.Lead + to})
	}
	tail(cp.Fold, in.after)
	for _, m := range in.messages {
		if m.raw == nil {
			pieces = append(pieces, view.Piece{From: v.Lead + m.index, To: v.Lead + m.index + 1})
		} else {
			pieces = append(pieces, view.Piece{Raw: m.raw})
		}
	}
	tail(in.next, len(v.Messages))
	return v.Request.Splice(pieces)
}
