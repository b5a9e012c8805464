// Package reply writes replies to clients. It flushes every write immediately, disconnects
// clients that stop reading, forwards informational replies and trailers unchanged, and
// records what the log needs. It never changes a body, and removes headers with our own
// names that an upstream sent.
package reply

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"time"

	"killick/proxy/body"
)

// Writer writes one reply to the client.
type Writer struct {
	http.ResponseWriter

	// Report adds our own headers to the final reply, and CORS those that browsers need.
	// If nil, there are none.
	Report, CORS func(http.Header)

	ctl *http.ResponseController

	expect *expectation // if the client waits for 100 before it sends its body; else nil

	incoming *incoming // the body of the request; nil where there is none, and in HTTP/2

	status int  // 0: there is no final header
	held   bool // that header was not sent yet
	bytes  int64
	sized  bool // the length is known, so the header may wait for the body
	delay  headerDelay

	stall   time.Duration // 0: no deadline
	armed   time.Time
	timeout *writeTimeout // in HTTP/2, where a deadline would also end streams that only wait
}

// New returns a Writer of the reply to r. stall is how long a client may take to read what
// is written; if zero, there is no limit.
func New(w http.ResponseWriter, r *http.Request, stall time.Duration) *Writer {
	reply := &Writer{ResponseWriter: w, ctl: http.NewResponseController(w), stall: stall}
	if r.ProtoMajor != 1 && stall > 0 {
		reply.timeout = &writeTimeout{ctl: reply.ctl}
	}
	return reply
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

// Unwrap supports http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Controller returns the controller of the client's connection.
func (w *Writer) Controller() *http.ResponseController { return w.ctl }

// Status returns the status of the final reply, 0 if there is none.
func (w *Writer) Status() int { return w.status }

// Bytes returns how many bytes of the body were sent.
func (w *Writer) Bytes() int64 { return w.bytes }

// Header returns the header that the next WriteHeader sends.
func (w *Writer) Header() http.Header {
	if w.expect != nil && w.status == 0 {
		return w.expect.header
	}
	return w.ResponseWriter.Header()
}

// WriteHeader holds the header until it is sent with the first bytes of the body, or at the latest
// by Finish. An informational one is sent immediately.
func (w *Writer) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	h := w.ResponseWriter.Header()
	if w.expect != nil {
		w.expect.mu.Lock()
		defer w.expect.mu.Unlock()
		if !w.expect.next(h, status) {
			return
		}
	}
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		StripOwn(h)
		w.arm()
		w.ResponseWriter.WriteHeader(status)
		w.disarm()
		if w.expect != nil {
			clear(h)
		}
		return
	}
	w.status = status
	w.sized = h.Get("Content-Length") != ""
	if w.Report != nil {
		w.Report(h)
	}
	if w.CORS != nil {
		w.CORS(h)
	}
	w.last(h, status)
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // else the server would guess one
	}
	w.held = true
}

// sendHeader passes the header to the server. The caller holds delay.mu.
func (w *Writer) sendHeader() {
	if w.held {
		w.held = false
		w.arm()
		w.ResponseWriter.WriteHeader(w.status)
		w.disarm()
	}
}

// Withdraw drops a header that was not sent, so that another one can be written in its place, and
// reports whether there was one.
func (w *Writer) Withdraw() bool {
	if w.expect != nil {
		w.expect.mu.Lock()
		defer w.expect.mu.Unlock()
	}
	w.delay.mu.Lock()
	defer w.delay.mu.Unlock()
	if !w.held {
		return false
	}
	w.held, w.sized, w.status = false, false, 0
	w.delay.end()
	clear(w.ResponseWriter.Header())
	return true
}

func (w *Writer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.delay.mu.Lock()
	defer w.delay.mu.Unlock()
	w.delay.end()
	w.sendHeader()
	w.arm()
	n, err := w.ResponseWriter.Write(b)
	w.disarm()
	w.bytes += int64(n)
	return n, err
}

// FlushError sends what is buffered. The header of a reply with a known length is sent with
// the first bytes of its body; other headers wait for them for a moment, since usually they
// are already available.
func (w *Writer) FlushError() error {
	w.delay.mu.Lock()
	defer w.delay.mu.Unlock()
	if w.bytes == 0 && (w.sized || w.delay.wait(w.flush)) {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	if w.status == 0 {
		return nil // it was withdrawn
	}
	w.sendHeader()
	w.arm()
	defer w.disarm()
	if f, ok := w.ResponseWriter.(interface{ FlushError() error }); ok {
		return f.FlushError() // the server's own, with less of a stack than by ctl
	}
	return w.ctl.Flush()
}

// BodyDone declares that the upstream's reply is complete: with trailers, the header must be
// sent before the server ends the reply.
func (w *Writer) BodyDone() {
	w.delay.mu.Lock()
	defer w.delay.mu.Unlock()
	w.delay.end()
	w.sendHeader()
}

// Hijack takes over the connection for another protocol.
func (w *Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.expect != nil {
		w.expect.mu.Lock()
		defer w.expect.mu.Unlock()
	}
	conn, buf, err := w.ctl.Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buf, err
}

// arm moves the deadline for writing. It is only moved again after a quarter of it, so that
// a stream of small events does not set a timer for each.
func (w *Writer) arm() {
	if w.stall <= 0 {
		return
	}
	if w.timeout != nil {
		w.timeout.arm(w.stall)
		return
	}
	if now := time.Now(); now.Sub(w.armed) > w.stall/4 {
		_ = w.ctl.SetWriteDeadline(now.Add(w.stall))
		w.armed = now
	}
}

// disarm removes the deadline of an idle HTTP/2 stream once everything was read. Deadlines
// of HTTP/1 do not affect idle connections.
func (w *Writer) disarm() {
	if w.timeout != nil {
		w.timeout.disarm()
	}
}

// Finish extends the deadline for what the server writes after the handler: the end of a
// reply that may have been silent for long. It is called last.
func (w *Writer) Finish() {
	w.BodyDone()
	if w.timeout != nil {
		w.timeout.end()
	} else if w.status != 0 && w.status != http.StatusSwitchingProtocols {
		w.arm()
	}
}

// BodyUnread prepares for a reply to a request whose body is not read: the reply does not
// wait for the body, and the rest of it is only read for a moment.
func (w *Writer) BodyUnread(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	_ = w.ctl.EnableFullDuplex()
	_ = w.ctl.SetReadDeadline(body.RejectedDeadline())
}

const ownPrefix = "Killick-"

// StripOwn removes every header with one of our own names: neither side may forge them.
func StripOwn(h http.Header) {
	for name := range h {
		if len(name) >= len(ownPrefix) && strings.EqualFold(name[:len(ownPrefix)], ownPrefix) {
			delete(h, name)
		}
	}
}
