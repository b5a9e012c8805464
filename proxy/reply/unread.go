package reply

import (
	"io"
	"net/http"
	"sync/atomic"
)

// incoming is the body of an HTTP/1 request, and whether it was read to its end. In full duplex the
// server ignores the rest of a body, so the connection would continue in the middle of one: with a
// rest that arrives late, or after broken framing.
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

// CloseIfUnread closes the connection after a reply that is sent before the body of r was read to
// its end. In HTTP/2 a stream ends with its own request.
func (w *Writer) CloseIfUnread(r *http.Request) {
	if r.ProtoMajor == 1 && r.Body != nil && r.Body != http.NoBody {
		w.incoming = &incoming{ReadCloser: r.Body}
		r.Body = w.incoming
	}
}

// last marks a reply as the last one of its connection, if that would continue within a body.
func (w *Writer) last(h http.Header, status int) {
	if w.incoming != nil && !w.incoming.ended.Load() && status != http.StatusSwitchingProtocols {
		h.Set("Connection", "close")
	}
}
