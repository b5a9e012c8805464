package view

import "slices"

// List is the conversation of a request while it is read.
type List struct {
	Body     []byte
	Messages []Message
	places   []place
	full     bool // there were more than MaxMessages
}

// MaxMessages limits the messages of a request. The view of a message takes some 500 bytes, and the
// message itself may have only 16: without a limit, a view could take many times the size of its
// request. A conversation of a million tokens has fewer messages than this.
const MaxMessages = 100_000

// place is the range of a message in the body, and that of the list elements that contain it.
type place struct{ start, end, elementStart, elementEnd int32 }

// moved returns the place with all offsets increased.
func (p place) moved(by int) place {
	n := int32(by)
	return place{p.start + n, p.end + n, p.elementStart + n, p.elementEnd + n}
}

// Add adds a message to the list. Its Raw must be a slice of the body.
func (l *List) Add(m Message, start int) {
	if len(l.Messages) >= MaxMessages {
		l.full = true
		return
	}
	if n := len(l.Messages); n == cap(l.Messages) && n >= minGrown {
		l.grow(start)
	}
	l.Messages = append(l.Messages, m)
	l.places = append(l.places, place{start: int32(start), end: int32(start + len(m.Raw))})
}

const (
	// minGrown is the number of messages from which on the capacity of a list is estimated.
	minGrown = 16
	// bytesPerRoom is how many bytes of a body justify capacity for one more message, which takes a
	// hundred bytes.
	bytesPerRoom = 512
)

// grow makes room for the messages from offset start on, estimated from the size of those so far.
func (l *List) grow(start int) {
	n, read := len(l.Messages), start-int(l.places[0].start)
	if read > 0 {
		rest := (len(l.Body) - start) / (read/n + 1)
		// The remaining messages may be longer.
		rest = min(rest, max(3*n, len(l.Body)/bytesPerRoom)) + n/8
		l.Messages, l.places = slices.Grow(l.Messages, rest), slices.Grow(l.places, rest)
	}
}

// Extend extends the last message of the list to the offset end.
func (l *List) Extend(end int) *Message {
	last := len(l.Messages) - 1
	l.places[last].end = int32(end)
	l.Messages[last].Raw = l.Body[l.places[last].start:end:end]
	return &l.Messages[last]
}

// read reads the element at an offset and returns the offset just past it.
func (l *List) read(f Format, at int) (int, error) {
	n := len(l.Messages)
	end, err := f.Read(l, at)
	if err == nil && l.full {
		err = ErrTooMany
	}
	if err != nil {
		return end, err
	}
	if n > 0 && n == len(l.Messages) { // it became a part of the last
		l.places[n-1].elementEnd = int32(end)
	}
	for i := n; i < len(l.places); i++ {
		l.places[i].elementStart, l.places[i].elementEnd = int32(at), int32(end)
	}
	return end, nil
}
