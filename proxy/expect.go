package proxy

import (
	"io"
	"maps"
	"net/http"
	"sync"
)

// goAhead is the "100 Continue" that a client of HTTP/1.1 waits for before it
// sends its body. Two may say it: the upstream, whose reply is handed on, and
// whoever reads the body first. They do so at the same moment, as the transport
// wakes the one that reads before it tells of the upstream's reply. The client
// is told once. The server would say it by itself on the first read, but shares
// no lock with other informational replies; it keeps still where we were first.
type goAhead struct {
	mu   sync.Mutex
	told bool
	// header is what is being made for the next reply. It is moved to the server's
	// own when that is sent: the one that reads may speak at any time, and would
	// write what is there.
	header http.Header
}

// await prepares for a client that waits to be told to send its body. In HTTP/2
// the server takes the wish away, answers it and lets nobody know.
func (x *exchange) await() {
	r := x.in
	// The server lets no other wish through.
	if r.ProtoMajor != 1 || r.ProtoMinor == 0 || r.ContentLength == 0 || r.Header.Get("Expect") == "" {
		return
	}
	x.reply.ahead = &goAhead{header: http.Header{}}
	r.Body = awaited{r.Body, x.reply}
}

// awaited is a body that comes once the client is told to go on.
type awaited struct {
	io.ReadCloser
	reply *reply
}

func (b awaited) Read(p []byte) (int, error) {
	b.reply.goOn()
	return b.ReadCloser.Read(p)
}

// goOn tells the client to send its body, if it has not heard so and has no reply
// yet.
func (w *reply) goOn() {
	w.ahead.mu.Lock()
	defer w.ahead.mu.Unlock()
	if !w.ahead.told && w.status == 0 {
		w.ahead.told = true
		w.arm()
		w.ResponseWriter.WriteHeader(http.StatusContinue)
	}
}

// next puts the header of a reply where the server takes it from, and tells
// whether this reply is to be sent. The caller holds mu.
func (a *goAhead) next(header http.Header, status int) (send bool) {
	if status == http.StatusContinue {
		if a.told {
			return false
		}
		a.told = true
	}
	maps.Copy(header, a.header)
	return true
}
