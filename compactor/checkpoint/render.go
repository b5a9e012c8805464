package checkpoint

import (
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
	t := newTail(v, cp)
	pieces = t.append(pieces, cp.Fold, in.after)
	if cp.Provider != nil {
		pieces = append(pieces, view.Piece{Raw: introduction})
	}
	for i := range in.messages {
		pieces = append(pieces, in.messages[i].piece(v))
	}
	pieces = t.append(pieces, in.next, len(v.Messages))
	return v.Request.Splice(v.Request.Format().Mark(v.Request, pieces))
}

// tail renders the messages that a form does not fold.
type tail struct {
	v            *layout.View
	masks        []Mask // of messages that are not rendered yet
	unsignedFrom int    // of these, up to unsignedTo, signed parts are left out
	unsignedTo   int
	changes      bool // messages without a mask may change too
}

func newTail(v *layout.View, cp *Checkpoint) *tail {
	t := &tail{v: v, masks: cp.Masks}
	t.unsignedFrom, t.unsignedTo = cp.unsigned(v)
	t.changes = len(v.Truncated) > 0 || len(v.Stubbed) > 0 || t.unsignedFrom < t.unsignedTo
	return t
}

// append appends the messages in [from, to) to pieces.
func (t *tail) append(pieces []view.Piece, from, to int) []view.Piece {
	lead := t.v.Lead
	for i := from; i < to && (t.changes || len(t.masks) > 0); i++ {
		raw, changed := t.message(i)
		if !changed {
			continue
		}
		pieces = append(pieces, view.Piece{From: lead + from, To: lead + i})
		if raw != nil {
			pieces = append(pieces, view.Piece{From: lead + i, To: lead + i + 1, Raw: raw})
		}
		from = i + 1
	}
	return append(pieces, view.Piece{From: lead + from, To: lead + to})
}

// message returns message i as it is sent, nil if it had nothing but signed parts. changed is false
// if it is sent as received.
func (t *tail) message(i int) (raw []byte, changed bool) {
	m := &t.v.Messages[i]
	if len(t.masks) > 0 && t.masks[0].Index == i {
		raw, t.masks = Masked(m, t.masks[0].Text), t.masks[1:]
		return raw, true
	}
	if t.unsignedFrom <= i && i < t.unsignedTo && m.Is(view.Signed) {
		return t.v.Request.Format().WithoutSigned(m), true
	}
	_, truncated := t.v.Truncated[i]
	return m.Raw, truncated || t.v.WasStub(i) // the short form, if truncated
}

func (m *replaced) piece(v *layout.View) view.Piece {
	p := view.Piece{Raw: m.raw}
	if m.index >= 0 {
		p.From, p.To = v.Lead+m.index, v.Lead+m.index+1
	}
	return p
}
