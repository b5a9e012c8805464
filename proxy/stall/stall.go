// Package stall ends requests whose upstream takes too long. Only the upstream's time counts, not
// the time a client takes to send its body or to read the reply. It never sees what is sent.
package stall

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// The causes with which a request is cancelled.
var (
	ErrFirstByte = errors.New("no reply from the upstream in time")
	ErrIdle      = errors.New("the upstream stopped sending in mid-reply")
)

// Timer ends one request. It is set with the time that the upstream has for what is awaited next.
type Timer struct {
	Cancel context.CancelCauseFunc // ends the request

	replied atomic.Bool

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// Arm restarts the timer.
func (t *Timer) Arm(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.armLocked(d)
}

// ArmForReply restarts the timer, unless the reply has begun.
func (t *Timer) ArmForReply(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.replied.Load() { // it is set before the timer is disarmed
		t.armLocked(d)
	}
}

// armLocked is Arm for callers that hold mu.
func (t *Timer) armLocked(d time.Duration) {
	switch {
	case t.stopped:
	case t.timer == nil:
		t.timer = time.AfterFunc(d, t.fire)
	default:
		t.timer.Reset(d)
	}
}

// Disarm stops the timer until it is armed again.
func (t *Timer) Disarm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

// Stop disarms permanently: reads of the request that are still running do not arm it again.
func (t *Timer) Stop() {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	t.Disarm()
}

func (t *Timer) fire() {
	if t.replied.Load() {
		t.Cancel(ErrIdle)
	} else {
		t.Cancel(ErrFirstByte)
	}
}

// Replied reports whether the reply has begun.
func (t *Timer) Replied() bool { return t.replied.Load() }

// SetReplied says whether the reply has begun.
func (t *Timer) SetReplied(begun bool) { t.replied.Store(begun) }
