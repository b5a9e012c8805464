package view

import "bytes"

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

// reopen opens the last element behind its parts, if it is of a role's turn and has any.
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
