package reply

import (
	"io"
	"net/http"
	"sync/atomic"
)

// incoming is the body of a request of HTTP/1, and whether it was read to its end. In full duplex
// the server does not look at what is left of a body, so its connection would go on in the middle
// of one: with a rest that comes late, or behind framing that is broken.
type incoming struct {
	io.ReadCloser
	ended atomic.Bool
}

func (b *incoming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}

// Watch has the connection closed behind a reply that is sent before the body of r was read to its
// end. In HTTP/2 a stream ends with its own request.
func (w *Writer) Watch(r *http.Request) {
	if r.ProtoMajor == 1 && r.Body != nil && r.Body != http.NoBody {
		w.incoming = &incoming{ReadCloser: r.Body}
		r.Body = w.incoming
	}
}

// last marks a reply as the last one of its connection, where that would go on in a body.
func (w *Writer) last(h http.Header, status int) {
	if w.incoming != nil && !w.incoming.ended.Load() && status != http.StatusSwitchingProtocols {
		h.Set("Connection", "close")
	}
}
