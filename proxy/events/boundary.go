package events

import (
	"net/http"
	"strings"
)

// Boundary tracks whether an event stream is between two events, where another one could be
// inserted. A nil Boundary never is.
type Boundary struct {
	tail [4]byte // the last bytes, the newest last
	n    int     // how many of them there are
}

// NewBoundary returns the Boundary of a reply, nil if no event can be added to it: it is not an
// event stream, is encoded, or has a length.
func NewBoundary(res *http.Response) *Boundary {
	media, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "text/event-stream") ||
		res.ContentLength >= 0 || res.Header.Get("Content-Encoding") != "" {
		return nil
	}
	return new(Boundary)
}

// Feed takes the next bytes of the stream.
func (b *Boundary) Feed(p []byte) {
	if b == nil {
		return
	}
	for _, c := range p[max(0, len(p)-len(b.tail)):] {
		copy(b.tail[:], b.tail[1:])
		b.tail[len(b.tail)-1] = c
		b.n = min(b.n+1, len(b.tail))
	}
}

// Between reports whether nothing was fed yet, or last an empty line.
func (b *Boundary) Between() bool {
	if b == nil {
		return false
	}
	tail := b.tail[len(b.tail)-b.n:]
	rest, ok := cutLineEnd(tail)
	if len(tail) == 0 {
		return true
	}
	_, again := cutLineEnd(rest)
	return ok && again
}

// cutLineEnd removes a line end: LF, CR or both.
func cutLineEnd(b []byte) (rest []byte, ok bool) {
	n := len(b)
	switch {
	case n > 1 && b[n-2] == '\r' && b[n-1] == '\n':
		return b[:n-2], true
	case n > 0 && (b[n-1] == '\n' || b[n-1] == '\r'):
		return b[:n-1], true
	}
	return b, false
}
