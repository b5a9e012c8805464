package expand

import "bytes"

// maxEvent is the maximum size of an event that is inspected: an image is a few megabytes.
const maxEvent = 32 << 20

// event is one event of a stream. Its slices are valid until the next is read.
type event struct {
	raw  []byte // with the empty line that ends it
	name []byte
	data []byte // nil for a comment
}

// splitter splits a stream into events, by the event-stream section of the HTML standard. Unlike
// events.Reader it keeps their bytes, which are forwarded: all of them together are the stream.
type splitter struct {
	buf  []byte
	line int  // where the line begins that is not read yet
	seen int  // up to where it has no end
	full bool // an event was too long: the rest is not inspected
}

// feed takes the next bytes and calls each with every event that they complete.
func (s *splitter) feed(b []byte, each func(*event)) {
	s.buf = append(s.buf, b...)
	start := 0
	for !s.full {
		end, blank, ok := s.nextLine()
		if !ok {
			break
		}
		s.line, s.seen = end, end
		if blank {
			e := parse(s.buf[start:end])
			each(&e)
			start = end
		}
	}
	s.buf = s.buf[:copy(s.buf, s.buf[start:])]
	s.line, s.seen = s.line-start, s.seen-start
	if s.full = s.full || len(s.buf) > maxEvent; s.full {
		s.end(each)
	}
}

// end returns the rest as an event without data, since it is incomplete.
func (s *splitter) end(each func(*event)) {
	if len(s.buf) > 0 {
		each(&event{raw: s.buf})
	}
	s.buf, s.line, s.seen = s.buf[:0], 0, 0
}

// nextLine returns the end of the line that is not read yet, after its LF, CR or both.
func (s *splitter) nextLine() (end int, blank, ok bool) {
	n := bytes.IndexAny(s.buf[s.seen:], "\r\n")
	if n < 0 {
		s.seen = len(s.buf)
		return 0, false, false
	}
	at := s.seen + n
	blank = at == s.line
	switch {
	case s.buf[at] == '\n':
		return at + 1, blank, true
	case at+1 == len(s.buf): // an LF may follow
		s.seen = at
		return 0, false, false
	case s.buf[at+1] == '\n':
		return at + 2, blank, true
	}
	return at + 1, blank, true
}

// parse reads the lines of an event.
func parse(raw []byte) event {
	e := event{raw: raw}
	several := false
	for rest := bytes.TrimPrefix(raw, []byte("\uFEFF")); len(rest) > 0; {
		n := bytes.IndexAny(rest, "\r\n")
		if n < 0 {
			n = len(rest)
		}
		field, value, _ := bytes.Cut(rest[:n], []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		rest = rest[min(n+1, len(rest)):]
		switch {
		case string(field) == "event":
			e.name = value
		case string(field) != "data":
		case e.data == nil:
			e.data = value[:len(value):len(value)]
			if e.data == nil {
				e.data = []byte{}
			}
		default:
			if !several {
				e.data, several = bytes.Clone(e.data), true
			}
			e.data = append(append(e.data, '\n'), value...)
		}
	}
	return e
}

// appendEvent appends an event with other data: its bytes as received where that is the same, but
// for the space around it.
func appendEvent(dst []byte, e *event, data []byte) []byte {
	if bytes.Equal(data, bytes.TrimSpace(e.data)) {
		return append(dst, e.raw...)
	}
	if len(e.name) > 0 {
		dst = append(append(append(dst, "event: "...), e.name...), '\n')
	}
	return append(append(append(dst, "data: "...), data...), "\n\n"...)
}

// clone returns a copy that stays valid.
func (e *event) clone() event {
	return parse(bytes.Clone(e.raw))
}
