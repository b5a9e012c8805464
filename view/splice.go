package view

import "sort"

// Splice returns the body with its messages replaced by pieces. Bytes outside the list of messages
// and those of unchanged messages are the client's. Pieces that describe the unchanged request give
// r.Raw itself.
func (r *Request) Splice(pieces []Piece) []byte {
	if r.unchanged(pieces) {
		return r.raw
	}
	head, tail := int(r.array.Start)+1, int(r.array.End)-1
	if n := len(r.list.places); n > 0 {
		head, tail = int(r.list.places[0].elementStart), int(r.list.places[n-1].elementEnd)
	}
	size := head + len(r.raw) - tail
	for _, p := range pieces {
		size += r.size(p) + 1
	}
	w := splice{r: r, out: make([]byte, 0, size), open: -1}
	w.joint.alternates = r.format.Spelling().Alternates
	w.out = append(w.out, r.raw[:head]...)
	w.start = len(w.out)
	for _, p := range pieces {
		switch {
		case p.Raw == nil:
			w.run(p.From, p.To)
		case p.To == p.From+1:
			w.message(p.From, p.Raw)
		default:
			w.added(p.Raw)
		}
	}
	w.close()
	return append(w.out, r.raw[tail:]...)
}

// WithoutSigned returns the body without [Signed] parts.
func (r *Request) WithoutSigned() []byte {
	var pieces []Piece
	next := 0
	for i := range r.list.Messages {
		m := &r.list.Messages[i]
		if !m.Is(Signed) {
			continue
		}
		pieces = append(pieces, Piece{From: next, To: i})
		if raw := r.format.WithoutSigned(m); raw != nil {
			pieces = append(pieces, Piece{From: i, To: i + 1, Raw: raw})
		}
		next = i + 1
	}
	return r.Splice(append(pieces, Piece{From: next, To: len(r.list.Messages)}))
}

// size estimates the bytes that a piece takes.
func (r *Request) size(p Piece) int {
	if p.From >= p.To {
		return len(p.Raw)
	}
	if p.Raw != nil { // and the bytes around the messages of its element
		first, last := r.list.places[r.first(p.From)], r.list.places[r.last(p.From)]
		return len(p.Raw) + int(first.start-first.elementStart+last.elementEnd-last.end)
	}
	return int(r.list.places[p.To-1].elementEnd - r.list.places[p.From].elementStart)
}

func (r *Request) unchanged(pieces []Piece) bool {
	next := 0
	for _, p := range pieces {
		switch {
		case p.Raw == nil && p.From >= p.To: // nothing
			continue
		case p.Raw != nil || p.From != next:
			return false
		}
		next = p.To
	}
	return next == len(r.list.places)
}

// run writes the unchanged messages [from, to): whole elements at once, and the messages of
// elements that the range only overlaps one by one.
func (w *splice) run(from, to int) {
	if from >= to {
		return
	}
	places := w.r.list.places
	whole, end := from, to
	if w.r.first(from) != from || w.joins(w.r.list.Messages[from].turn(), from) {
		whole = min(w.r.last(from)+1, to)
	}
	if w.r.last(to-1) != to-1 {
		end = max(w.r.first(to-1), whole)
	}
	for ; from < whole; from++ {
		w.message(from, nil)
	}
	if whole < end {
		last := places[w.r.first(end-1)].elementStart
		w.element(w.r.raw[places[whole].elementStart:places[end-1].elementEnd])
		w.joint.begins += int(last - places[whole].elementStart)
		w.joint.role, w.joint.next = w.r.list.Messages[end-1].turn(), end
	}
	for from = end; from < to; from++ {
		w.message(from, nil)
	}
}

// message writes message i, as received if raw is nil.
func (w *splice) message(i int, raw []byte) {
	p := w.r.list.places[i]
	if raw == nil {
		raw = w.r.raw[p.start:p.end]
	}
	role := w.r.list.Messages[i].turn()
	if w.open >= 0 && w.r.list.places[w.open].elementStart == p.elementStart {
		w.out = append(w.out, ',')
	} else if inside := w.join(role, i, raw); inside != nil {
		raw = inside
	} else {
		w.close()
		w.comma(w.start)
		w.joint.begins = len(w.out)
		w.out = append(w.out, w.r.raw[p.elementStart:w.r.list.places[w.r.first(i)].start]...)
		last := w.r.list.places[w.r.last(i)]
		w.end = w.r.raw[last.end:last.elementEnd]
	}
	w.out = append(w.out, raw...)
	w.open, w.joint.role, w.joint.next = i, role, i+1
}

// added writes a new message.
func (w *splice) added(raw []byte) {
	var role Role
	if w.joint.alternates {
		if m, err := w.r.format.Message(raw); err == nil {
			role = m.turn()
		}
	}
	if inside := w.join(role, isNew, raw); inside != nil {
		w.out, w.open = append(w.out, inside...), -1
	} else {
		w.element(raw)
	}
	w.joint.role, w.joint.next = role, isNew
}

// first returns the first message of the element that contains message i. A client may put any
// number of messages into one element, so the search is binary.
func (r *Request) first(i int) int {
	p := r.list.places
	return sort.Search(i, func(k int) bool { return p[k].elementStart == p[i].elementStart })
}

// last returns the last message of the element that contains message i.
func (r *Request) last(i int) int {
	rest := r.list.places[i+1:]
	start := r.list.places[i].elementStart
	return i + sort.Search(len(rest), func(k int) bool { return rest[k].elementStart != start })
}
