package view

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
	within     bool // it is open, and what closes it begins with the bracket behind its parts
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
