package view

import "bytes"

// splice writes the elements of a list. An element of the client that contains several messages is
// written around those of them that are kept: it is open while more may follow.
type splice struct {
	r     *Request
	out   []byte
	start int    // of the elements in out
	open  int    // the last message that was written into an open element, -1 if none is open
	end   []byte // what closes the open element
	joint joint  // the last element
}

// joint is the last element that a splice has written, where the next message may have to become a
// part of it: see [Spelling.Alternates].
type joint struct {
	alternates bool
	begins     int  // offset of the element in the new body
	within     bool // it is open, and what closes it begins with the bracket after its parts
	role       Role // whose turn it is, "" if nothing may be added to it
	next       int  // the message that followed its last one in the request, isNew if that is new
}

// element writes a whole element, or several.
func (w *splice) element(raw []byte) {
	w.close()
	w.comma(w.start)
	w.joint.begins, w.joint.role = len(w.out), ""
	w.out = append(w.out, raw...)
}

func (w *splice) comma(start int) {
	if len(w.out) > start {
		w.out = append(w.out, ',')
	}
}

// close writes the end of the open element.
func (w *splice) close() {
	if w.open >= 0 || w.joint.within {
		w.out = append(w.out, w.end...)
	}
	w.open, w.joint.within = -1, false
}

// isNew stands for a message that the request does not have.
const isNew = -1

// turn returns whose turn the message is a part of.
func (m *Message) turn() Role {
	switch role := m.Role(); {
	case role.Result():
		return User
	case role == User || role == Assistant:
		return role
	}
	return ""
}

// joins reports whether a message must become a part of the last element: both are of the same
// turn, and did not follow one another in the request.
func (w *splice) joins(role Role, i int) bool {
	return w.joint.alternates && role != "" && role == w.joint.role && len(w.out) > w.start &&
		(i == isNew || i != w.joint.next)
}

// join opens the last element for a message, if that must become a part of it. It returns what is
// to be written of the message then, nil if it is an element of its own. The element stays open for
// others: any number of messages may become a part of it.
func (w *splice) join(role Role, i int, raw []byte) []byte {
	if !w.joins(role, i) {
		return nil
	}
	m, err := w.r.format.Message(raw)
	if err != nil {
		return nil
	}
	inside := raw
	if !m.Is(Several) && !m.Role().Result() {
		inside = inList(m.Content())
	}
	if len(inside) == 0 || !w.joint.within && !w.reopen(role) {
		return nil
	}
	w.out = append(w.out, ',')
	return inside
}

// reopen opens the last element after its parts, if it is of a role's turn and has any.
func (w *splice) reopen(role Role) bool {
	w.close()
	last, err := w.r.format.Message(w.out[w.joint.begins:])
	if err != nil || last.turn() != role || inList(last.Content()) == nil {
		return false
	}
	end := w.joint.begins + int(last.fields.Content.End) - 1
	w.end = bytes.Clone(w.out[end:])
	w.out = bytes.TrimRight(w.out[:end], " \t\r\n")
	w.joint.within = true
	return true
}
