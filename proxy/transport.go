package proxy

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// stallTimer ends a request whose upstream takes too long. Only the upstream's time counts, not the
// time a client takes to send its body or to read the reply.
type stallTimer struct {
	replied atomic.Bool
	cancel  context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// arm restarts the timer.
func (t *stallTimer) arm(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.armLocked(d)
}

// armForReply restarts the timer, unless the reply has begun.
func (t *stallTimer) armForReply(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.replied.Load() { // it is set before the timer is disarmed
		t.armLocked(d)
	}
}

// armLocked is arm for whoever holds mu.
func (t *stallTimer) armLocked(d time.Duration) {
	switch {
	case t.stopped:
	case t.timer == nil:
		t.timer = time.AfterFunc(d, t.fire)
	default:
		t.timer.Reset(d)
	}
}

// disarm stops the timer until it is armed again.
func (t *stallTimer) disarm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

// stop disarms permanently: reads of the request that are still running do not arm it again.
func (t *stallTimer) stop() {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	t.disarm()
}

func (t *stallTimer) fire() {
	if t.replied.Load() {
		t.cancel(errIdle)
	} else {
		t.cancel(errFirstByte)
	}
}

// roundTrip sends a request of an exchange upstream, and sends it again in a
// smaller form if the upstream rejects it as too long. Calls of killick_expand in the reply are
// answered (expand.go).
func (p *Proxy) roundTrip(r *http.Request) (*http.Response, error) {
	x := exchangeOf(r.Context())
	for {
		res, err := p.send(x, r)
		if err != nil {
			return nil, err
		}
		if !x.retryable() {
			return x.expanded(r, res)
		}
		o := p.refusal(x, res)
		x.retried(res.StatusCode, o)
		if o == nil {
			return x.expanded(r, res)
		}
		next := p.again(x, r, o)
		if next == nil {
			return res, nil
		}
		_ = res.Body.Close()
		r = next
	}
}

// send makes one attempt. Each has its own time limit for the first byte.
func (p *Proxy) send(x *exchange, r *http.Request) (*http.Response, error) {
	x.stall.replied.Store(false)
	x.stall.arm(p.opt.Timeouts.FirstByte)
	transport := x.up.transport
	if r.Header.Get("Upgrade") != "" {
		transport = x.up.upgrades
	}
	res, err := transport.RoundTrip(r)
	x.stall.replied.Store(err == nil)
	x.stall.disarm()
	return res, err
}
