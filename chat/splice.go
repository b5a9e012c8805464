package chat

// Piece is a run of messages of a new body: either the unchanged messages [From, To) of the request
// with what is between them, or, if Raw is set, one new message.
type Piece struct {
	From, To int
	Raw      []byte
}

// Splice returns the body with its messages replaced by pieces. Every byte outside the array of
// messages, and every byte of a kept run, is the client's. Pieces that describe the unchanged
// request give r.Raw itself.
func (r *Request) Splice(pieces []Piece) []byte {
	if r.unchanged(pieces) {
		return r.raw
	}
	head, tail := r.array.start+1, r.array.end-1
	if n := len(r.messages); n > 0 {
		head, tail = r.at[0], r.at[n-1]+len(r.messages[n-1].Raw)
	}
	size := head + len(r.raw) - tail
	for _, p := range pieces {
		size += len(r.piece(p)) + 1
	}
	out := make([]byte, 0, size)
	out = append(out, r.raw[:head]...)
	first := true
	for _, p := range pieces {
		run := r.piece(p)
		if len(run) == 0 {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(out, run...)
	}
	return append(out, r.raw[tail:]...)
}

func (r *Request) piece(p Piece) []byte {
	if p.Raw != nil || p.From >= p.To {
		return p.Raw
	}
	last := p.To - 1
	return r.raw[r.at[p.From] : r.at[last]+len(r.messages[last].Raw)]
}

func (r *Request) unchanged(pieces []Piece) bool {
	next := 0
	for _, p := range pieces {
		if p.Raw != nil || p.From != next && p.From < p.To {
			return false
		}
		next = max(next, p.To)
	}
	return next == len(r.messages)
}
