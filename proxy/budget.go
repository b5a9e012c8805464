package proxy

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

var errNoRoom = errors.New("no room to hold the body")

// budget is the memory that chat bodies may take together. It is what keeps a
// crowd of large requests from ending the process.
type budget struct {
	sem  *semaphore.Weighted
	wait time.Duration
	used atomic.Int64
}

func newBudget(size int64, wait time.Duration) *budget {
	return &budget{sem: semaphore.NewWeighted(size), wait: wait}
}

func (b *budget) held() float64 { return float64(b.used.Load()) }

// room is one request's share of the budget. Its methods are for one goroutine
// at a time, except release, which may be called from any and more than once.
type room struct {
	budget *budget
	n      atomic.Int64
}

// take waits for n bytes more, up to the budget's patience.
func (r *room) take(ctx context.Context, n int64) error {
	if r.try(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.budget.wait)
	defer cancel()
	if err := r.budget.sem.Acquire(ctx, n); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoRoom
		}
		return err
	}
	r.add(n)
	return nil
}

// try takes n bytes more if there is room at once.
func (r *room) try(n int64) bool {
	if !r.budget.sem.TryAcquire(n) {
		return false
	}
	r.add(n)
	return true
}

func (r *room) add(n int64) {
	r.n.Add(n)
	r.budget.used.Add(n)
}

func (r *room) release() {
	n := r.n.Swap(0)
	r.budget.used.Add(-n)
	r.budget.sem.Release(n)
}
