package checkpoint

import (
	"slices"

	"killick/compactor/layout"
	"killick/view"
)

// Render returns the body of the request in the form cp: leading instructions, the replacement of
// the folded turns, then the tail with its masks and truncated outputs, without signed parts that a
// change before them has made invalid.
func Render(v *layout.View, cp *Checkpoint, in Replacement) []byte {
	pieces := []view.Piece{{From: 0, To: v.Lead}}
	for _, i := range in.before {
		pieces = append(pieces, view.Piece{From: v.Lead + i, To: v.Lead + i + 1})
	}
	if cp.Provider != nil {
		pieces = append(pieces, view.Piece{Raw: cp.Provider.Raw})
	}
	masks := cp.Masks
	droppedFrom, droppedTo := cp.dropped(v)
	dropped := func(i int) bool {
		return droppedFrom <= i && i < droppedTo && v.Messages[i].Is(view.Signed)
	}
	tail := func(next, to int) {
		changed := len(v.Truncated) > 0 || len(v.Stubbed) > 0 || droppedFrom < droppedTo
		for i := next; i < to && (changed || len(masks) > 0); i++ {
			raw := v.Messages[i].Raw // the short form, if it is truncated
			if len(masks) > 0 && masks[0].Index == i {
				raw, masks = Masked(&v.Messages[i], masks[0].Text), masks[1:]
			} else if dropped(i) {
				raw = v.Request.Format().WithoutSigned(&v.Messages[i])
			} else if _, truncated := v.Truncated[i]; !truncated &&
				!slices.Contains(v.Stubbed, i) {
				continue
			}
			pieces = append(pieces, view.Piece{From: v.Lead + next, To: v.Lead + i})
			if raw != nil { // nil: it had nothing but signed parts
				pieces = append(pieces, view.Piece{From: v.Lead + i, To: v.Lead + i + 1, Raw: raw})
			}
			next = i + 1
		}
		pieces = append(pieces, view.Piece{From: v.Lead + next, To: v.Lead + to})
	}
	tail(cp.Fold, in.after)
	if cp.Provider != nil {
		pieces = append(pieces, view.Piece{Raw: introduction})
	}
	for i := range in.messages {
		pieces = append(pieces, in.messages[i].piece(v))
	}
	tail(in.next, len(v.Messages))
	return v.Request.Splice(v.Request.Format().Mark(v.Request, pieces))
}

func (m *replaced) piece(v *layout.View) view.Piece {
	p := view.Piece{Raw: m.raw}
	if m.index >= 0 {
		p.From, p.To = v.Lead+m.index, v.Lead+m.index+1
	}
	return p
}
