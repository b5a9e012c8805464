package reply

import (
	"maps"
	"net/http"
	"sync"
)

// expectation is that of a client of HTTP/1.1 which waits for "100 Continue" before it
// sends its body. It can be triggered twice: by the upstream, whose reply is forwarded, and
// by the first read of the body. Both happen at the same time, as the transport wakes the
// reader before it reports the upstream's reply. The client gets it once. The server would
// send it by itself on the first read, but shares no lock with other informational replies;
// it does not if we were first.
type expectation struct {
	mu   sync.Mutex
	sent bool
	// header is the header of the next reply while it is being prepared. It is moved to the
	// server's own header when that reply is sent: a reader of the body may send 100 at any time,
	// which would write what is in the server's header.
	header http.Header
}

// next moves the header of a reply to the server's, and reports whether this reply is to be
// sent. The caller holds mu.
func (e *expectation) next(header http.Header, status int) (send bool) {
	if status == http.StatusContinue {
		if e.sent {
			return false
		}
		e.sent = true
	}
	maps.Copy(header, e.header)
	return true
}
