package format

import (
	"net/http"
	"strings"
)

// Boundary notices whether a stream of events stands between two of them, where one more
// event could be put. A nil Boundary never does.
type Boundary struct {
	tail [4]byte // the last bytes, the newest last
	n    int     // how many of them there are
}

// NewBoundary returns the Boundary of a reply, nil where no event can be added to it: it is no
// stream of events, is encoded, or has a length.
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

// Between reports whether nothing was fed, or an empty line last.
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

// cutLineEnd takes a line's end off: LF, CR or both.
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
