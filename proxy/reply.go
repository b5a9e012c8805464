package proxy

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"time"
)

// reply writes to the client. It keeps what the log wants to know, lets nothing
// of ours through that the upstream made up, and ends the wait for a client that
// accepts nothing.
type reply struct {
	http.ResponseWriter
	ctl *http.ResponseController

	// report adds our own headers to the final reply. If nil, there are none.
	report func(http.Header)

	status int // 0: nothing was sent
	bytes  int64
	whole  bool // the length is known, so that the header may wait for the body

	stall time.Duration // 0: no deadline
	armed time.Time
}

func newReply(w http.ResponseWriter, r *http.Request, stall time.Duration) *reply {
	if r.ProtoMajor != 1 {
		// In HTTP/2 a deadline also ends streams that only wait.
		stall = 0
	}
	return &reply{ResponseWriter: w, ctl: http.NewResponseController(w), stall: stall}
}

// Unwrap lets a ResponseController through.
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the header, or an informational one before it.
func (w *reply) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	h := w.Header()
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		stripOurs(h)
		w.arm()
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status = status
	w.whole = h.Get("Content-Length") != ""
	if w.report != nil {
		w.report(h)
	}
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // else the server would guess one
	}
	w.arm()
	w.ResponseWriter.WriteHeader(status)
}

func (w *reply) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.arm()
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// FlushError sends what is buffered. The header of a reply whose length is
// known goes out with the first bytes of its body.
func (w *reply) FlushError() error {
	if w.whole && w.bytes == 0 {
		return nil
	}
	w.arm()
	return w.ctl.Flush()
}

// Hijack hands the connection over to another protocol.
func (w *reply) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buf, err := w.ctl.Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buf, err
}

// arm moves the deadline for writing. A quarter of it may pass before it is
// moved again: a stream of small events should not pay for a timer each.
func (w *reply) arm() {
	if w.stall <= 0 {
		return
	}
	if now := time.Now(); now.Sub(w.armed) > w.stall/4 {
		_ = w.ctl.SetWriteDeadline(now.Add(w.stall))
		w.armed = now
	}
}

// finish makes room in time for what the server writes after the handler: the
// end of a reply that may have been silent for long.
func (w *reply) finish() {
	if w.status != 0 && w.status != http.StatusSwitchingProtocols {
		w.arm()
	}
}

const ourPrefix = "Killick-"

// stripOurs removes every header of our own name: what a client or an upstream
// says of us is not for the other side.
func stripOurs(h http.Header) {
	for name := range h {
		if len(name) >= len(ourPrefix) && strings.EqualFold(name[:len(ourPrefix)], ourPrefix) {
			delete(h, name)
		}
	}
}
