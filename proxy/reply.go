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

	// report adds our own headers to the final reply, and cors what browsers want
	// to see. If nil, there are none.
	report, cors func(http.Header)

	ahead *goAhead // of a client that waits for it before it sends its body; else nil

	status int // 0: nothing was sent
	bytes  int64
	whole  bool // the length is known, so that the header may wait for the body
	head   headWait

	stall time.Duration // 0: no deadline
	armed time.Time
	cut   *cutter // in HTTP/2, where a deadline would also end streams that only wait
}

func (p *Proxy) newReply(w http.ResponseWriter, r *http.Request) *reply {
	reply := &reply{ResponseWriter: w, ctl: http.NewResponseController(w), stall: p.opt.Timeouts.Stall}
	if r.ProtoMajor != 1 && reply.stall > 0 {
		reply.cut = &cutter{ctl: reply.ctl}
	}
	if cors := &p.opt.CORS; cors.on() {
		reply.cors = func(h http.Header) { cors.mark(h, r.Header.Get("Origin")) }
	}
	return reply
}

// Unwrap lets a ResponseController through.
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Header is what the next WriteHeader sends.
func (w *reply) Header() http.Header {
	if w.ahead != nil && w.status == 0 {
		return w.ahead.header
	}
	return w.ResponseWriter.Header()
}

// WriteHeader sends the header, or an informational one before it.
func (w *reply) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	h := w.ResponseWriter.Header()
	if w.ahead != nil {
		w.ahead.mu.Lock()
		defer w.ahead.mu.Unlock()
		if !w.ahead.next(h, status) {
			return
		}
	}
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		stripOurs(h)
		w.arm()
		w.ResponseWriter.WriteHeader(status)
		w.disarm()
		if w.ahead != nil {
			clear(h)
		}
		return
	}
	w.status = status
	w.whole = h.Get("Content-Length") != ""
	if w.report != nil {
		w.report(h)
	}
	if w.cors != nil {
		w.cors(h)
	}
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // else the server would guess one
	}
	w.arm()
	w.ResponseWriter.WriteHeader(status)
	w.disarm()
}

func (w *reply) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.head.mu.Lock()
	defer w.head.mu.Unlock()
	w.head.end()
	w.arm()
	n, err := w.ResponseWriter.Write(b)
	w.disarm()
	w.bytes += int64(n)
	return n, err
}

// FlushError sends what is buffered. The header of a reply whose length is
// known goes out with the first bytes of its body; that of another waits for
// them for a moment, since mostly they are there already.
func (w *reply) FlushError() error {
	w.head.mu.Lock()
	defer w.head.mu.Unlock()
	if w.bytes == 0 && (w.whole || w.head.wait(w)) {
		return nil
	}
	return w.flush()
}

func (w *reply) flush() error {
	w.arm()
	defer w.disarm()
	if f, ok := w.ResponseWriter.(interface{ FlushError() error }); ok {
		return f.FlushError() // the server's own, with less of a stack than by ctl
	}
	return w.ctl.Flush()
}

// bodyOver tells that the upstream's reply has come to its end: trailers need a
// header that is out before the server ends the reply.
func (w *reply) bodyOver() {
	w.head.mu.Lock()
	w.head.end()
	w.head.mu.Unlock()
}

// Hijack hands the connection over to another protocol.
func (w *reply) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.ahead != nil {
		w.ahead.mu.Lock()
		defer w.ahead.mu.Unlock()
	}
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
	if w.cut != nil {
		w.cut.arm(w.stall)
		return
	}
	if now := time.Now(); now.Sub(w.armed) > w.stall/4 {
		_ = w.ctl.SetWriteDeadline(now.Add(w.stall))
		w.armed = now
	}
}

// disarm lets a stream of HTTP/2 wait as long as it likes, once what was written
// is taken. A deadline of HTTP/1 is none for waiting.
func (w *reply) disarm() {
	if w.cut != nil {
		w.cut.disarm()
	}
}

// finish makes room in time for what the server writes after the handler: the
// end of a reply that may have been silent for long. It is called last.
func (w *reply) finish() {
	w.head.mu.Lock()
	w.head.end()
	w.head.mu.Unlock()
	if w.cut != nil {
		w.cut.end()
	} else if w.status != 0 && w.status != http.StatusSwitchingProtocols {
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
