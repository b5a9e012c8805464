package tap

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"killick/proxy/format"
	"killick/proxy/overflow"
)

// PeekTimeout is how long to wait for the beginning of a reply before its header is sent to the
// client. An upstream that rejects a request does so at once; a model that thinks may send its
// header long before its answer.
const PeekTimeout = 2 * time.Second

// Peek is the body of a reply whose beginning is read before any of it is forwarded, to
// check whether the upstream rejects the request as too long. It returns every byte
// unchanged, and must be read by one goroutine.
type Peek struct {
	io.ReadCloser
	done chan struct{} // closed when reading ahead has ended
	stop atomic.Bool   // nobody waits for the verdict any more

	// Valid once done is closed.
	held    []byte
	err     error // that reading ahead ended with
	verdict *overflow.Refusal
}

// NewPeek reads ahead in a reply until it is known whether it is a rejection. It is nil for
// replies that cannot be one. Otherwise the reply's body must be read from the Peek.
//
// A reply of known length was complete before its header was sent, so it is read here;
// others are read by a goroutine, for which Wait waits.
func NewPeek(res *http.Response, f format.Format) *Peek {
	look := newLooker(res, f)
	if look == nil {
		return nil
	}
	p := &Peek{ReadCloser: res.Body, done: make(chan struct{})}
	if res.ContentLength >= 0 {
		p.ahead(look)
	} else {
		go p.ahead(look)
	}
	return p
}

func (p *Peek) ahead(look looker) {
	defer close(p.done)
	defer func() {
		if recover() != nil { // of a decoder: the reply is forwarded anyway
			p.verdict = nil
		}
	}()
	defer look.end()
	buf := make([]byte, 4<<10)
	for more := true; more && p.err == nil && len(p.held) < look.maxAhead() && !p.stop.Load(); {
		var n int
		n, p.err = p.ReadCloser.Read(buf)
		p.held = append(p.held, buf[:n]...)
		more = look.feed(buf[:n])
	}
	look.end()
	if whole := errors.Is(p.err, io.EOF); whole || p.err == nil {
		p.verdict = look.verdict(p.held, whole)
	}
}

// Wait returns the rejection in the beginning, nil if there is none or it is late.
func (p *Peek) Wait(ctx context.Context) *overflow.Refusal {
	select {
	case <-p.done:
		return p.verdict
	default:
	}
	timer := time.NewTimer(PeekTimeout)
	defer timer.Stop()
	select {
	case <-p.done:
		return p.verdict
	case <-timer.C:
	case <-ctx.Done():
	}
	p.stop.Store(true)
	return nil
}

func (p *Peek) Read(b []byte) (int, error) {
	<-p.done
	if len(p.held) > 0 {
		n := copy(b, p.held)
		if p.held = p.held[n:]; len(p.held) == 0 {
			p.held = nil
		}
		return n, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	return p.ReadCloser.Read(b)
}
