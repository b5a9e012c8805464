package body

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrOverBudget is returned for a body that does not fit the Budget.
var ErrOverBudget = errors.New("no memory left for the body")

// Budget is the memory that chat bodies may take together. It keeps many large requests from
// exhausting the process's memory.
type Budget struct {
	sem  *semaphore.Weighted
	wait time.Duration
	used atomic.Int64
}

// NewBudget returns a Budget of size bytes. A body waits at most this long for memory.
func NewBudget(size int64, wait time.Duration) *Budget {
	return &Budget{sem: semaphore.NewWeighted(size), wait: wait}
}

// Held returns the number of bytes in use.
func (b *Budget) Held() float64 { return float64(b.used.Load()) }

// Reservation is one request's share of a Budget. Its methods are for one goroutine at a time,
// except Release and what Share returns, which may be called from any. Release may be called more
// than once.
type Reservation struct {
	Budget *Budget

	mu       sync.Mutex
	n        int64
	users    int // beside the request itself
	released bool
}

// take waits for n more bytes, for as long as the Budget lets a body wait.
func (r *Reservation) take(ctx context.Context, n int64) error {
	if r.try(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.Budget.wait)
	defer cancel()
	if err := r.Budget.sem.Acquire(ctx, n); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return ErrOverBudget
		}
		return err
	}
	r.add(n)
	return nil
}

// try takes n more bytes if they are free now.
func (r *Reservation) try(n int64) bool {
	if !r.Budget.sem.TryAcquire(n) {
		return false
	}
	r.add(n)
	return true
}

func (r *Reservation) add(n int64) {
	r.mu.Lock()
	r.n += n
	r.mu.Unlock()
	r.Budget.used.Add(n)
}

// Share declares that somebody beside the request uses the memory, until done is called. Work that
// outlives its request would otherwise take memory that nothing limits.
func (r *Reservation) Share() (done func()) {
	r.mu.Lock()
	r.users++
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		r.users--
		r.returnUnused()
		r.mu.Unlock()
	}
}

// Release returns the reserved memory, or lets the last user of it do so: see Share.
func (r *Reservation) Release() {
	r.mu.Lock()
	r.released = true
	r.returnUnused()
	r.mu.Unlock()
}

// returnUnused returns the share if nobody uses it. The caller holds mu.
func (r *Reservation) returnUnused() {
	if !r.released || r.users > 0 {
		return
	}
	r.Budget.used.Add(-r.n)
	r.Budget.sem.Release(r.n)
	r.n = 0
}
