package fakeserver

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"time"
)

// Fault is what goes wrong with one request. Its parts can be combined: a
// fault may hang, then answer 200 in pieces, then cut the connection. The zero
// Fault is none.
type Fault struct {
	// Hang is how long nothing is sent, not even the header. It ends early when
	// the client leaves or the server closes, without an answer then.
	Hang time.Duration

	// Drop closes the connection without an answer. To refuse connections as
	// such, close the server.
	Drop bool

	// Status, if not zero, is answered instead of what the script says, 200 too.
	Status int
	Header http.Header // added to the answer; it replaces headers of the same name
	Body   []byte      // of the answer with Status; if nil, the API's error for it

	// CutEvents closes the connection in the middle of a stream: after this many events, [DONE]
	// among them. If negative, right after the header, be it a stream or not.
	CutEvents int
	// CutBytes does so after this many bytes of body, as they are on the wire.
	CutBytes int
	// Reset makes Drop and the cuts reset the connection instead of closing it.
	// On its own it means Drop.
	Reset bool

	// Pause is the time between events of a stream, or between pieces.
	Pause time.Duration
	// PieceBytes, if not zero, sends the body in pieces of this many bytes, cut anywhere and each
	// flushed.
	PieceBytes int
}

// prepareFault asks the script what goes wrong with this request.
func (x *Exchange) prepareFault() {
	x.Request.Body = io.NopCloser(bytes.NewReader(x.Body))
	if x.s.cfg.Fault != nil {
		x.Fault = x.s.cfg.Fault(x.N, x.Request)
	}
}

// breakBeforeAnswer does what the fault does before the first byte.
func (x *Exchange) breakBeforeAnswer() {
	if x.Fault.Hang > 0 {
		x.Wait(x.Fault.Hang)
	}
	cutLater := x.Fault.CutEvents != 0 || x.Fault.CutBytes > 0
	if x.Fault.Drop || x.Fault.Reset && !cutLater {
		x.breakOff()
	}
}

// countPiece is called before each event, before a whole body and at the end
// of a stream.
func (x *Exchange) countPiece() {
	cut := x.Fault.CutEvents
	if cut < 0 || cut > 0 && x.pieces == cut {
		x.flushNow()
		x.breakOff()
	}
	x.pieces++
}

// breakOff ends the connection under the answer.
func (x *Exchange) breakOff() {
	if x.Fault.Reset {
		// HTTP/2 has no connection of the request's own; there the abort below
		// resets the stream.
		if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // what is unsent is dropped, the peer sees RST
			}
			_ = conn.Close()
		}
	}
	panic(http.ErrAbortHandler)
}

// Wait lets time pass and gives up when the client has left.
func (x *Exchange) Wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.Request.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

// ByFault answers a fault that has a Status: with its Body, and if it has none with what the API
// says with that status.
func (x *Exchange) ByFault(bodyOf func(status int) []byte) {
	body := x.Fault.Body
	if body == nil {
		body = bodyOf(x.Fault.Status)
	}
	x.Answer(x.Fault.Status, body)
}
