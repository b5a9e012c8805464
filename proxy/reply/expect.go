package reply

import (
	"io"
	"net/http"
)

// Expect prepares for a client that waits for 100 before it sends the body of r. In HTTP/2
// the server handles the expectation itself.
func (w *Writer) Expect(r *http.Request) {
	// The server lets no other expectation through.
	if r.ProtoMajor != 1 || r.ProtoMinor == 0 || r.ContentLength == 0 ||
		r.Header.Get("Expect") == "" {
		return
	}
	w.expect = &expectation{header: http.Header{}}
	r.Body = expectedBody{r.Body, w}
}

// expectedBody is a body that the client sends after it got its 100.
type expectedBody struct {
	io.ReadCloser
	reply *Writer
}

func (b expectedBody) Read(p []byte) (int, error) {
	b.reply.sendContinue()
	return b.ReadCloser.Read(p)
}

// sendContinue has the client send its body, unless it got its 100 already or has a reply.
func (w *Writer) sendContinue() {
	w.expect.mu.Lock()
	defer w.expect.mu.Unlock()
	if !w.expect.sent && w.status == 0 {
		w.expect.sent = true
		w.arm()
		w.ResponseWriter.WriteHeader(http.StatusContinue)
	}
}
