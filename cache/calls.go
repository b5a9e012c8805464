package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// call runs fn and waits for it at most the store's time-out, or briefly while the disk hangs: a
// request makes several calls. What fn does after that is discarded.
func call[T any](ctx context.Context, s *Store, fn func(context.Context) (T, error)) (T, error) {
	timeout := s.timeout
	if s.hung.Load() > 0 {
		timeout = min(timeout, whileHung)
	}
	return callFor(ctx, s, timeout, fn)
}

// whileHung is how long a call waits while an earlier one has not returned within the whole
// time-out. Most calls take less than a millisecond, and reads may still work.
const whileHung = 50 * time.Millisecond

// callFor is call with an explicit time-out, for slower operations.
func callFor[T any](
	ctx context.Context, s *Store, timeout time.Duration, fn func(context.Context) (T, error),
) (T, error) {
	if s.timeout == 0 {
		v, err := inside(s, func() (T, error) { return fn(ctx) })
		return v, s.countFailure(err)
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var none T
	select {
	case s.slots <- struct{}{}:
	case <-bounded.Done():
		return none, s.countFailure(ended(ctx))
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-s.slots }()
		v, err := inside(s, func() (T, error) { return fn(bounded) })
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, context.DeadlineExceeded) || errors.Is(r.err, context.Canceled) {
			r.err = ended(ctx)
		}
		return r.value, s.countFailure(r.err)
	case <-bounded.Done():
		if ctx.Err() == nil && timeout >= s.timeout {
			s.hung.Add(1)
			go func() {
				<-done
				s.hung.Add(-1)
			}()
		}
		return none, s.countFailure(ended(ctx))
	}
}

// ended returns the error of whoever gave up: the caller or the store.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrTimeout
}

// inside runs fn while the backend is open, and turns its panics into errors. A page of a mapped
// file that cannot be read raises a panic too: calls that do not run in place use a separate
// goroutine, in which such a fault is a panic and not a crash.
func inside[T any](s *Store, fn func() (T, error)) (value T, err error) {
	if s.closing.Load() {
		return value, ErrClosed
	}
	s.open.RLock()
	defer s.open.RUnlock()
	if s.closed {
		return value, ErrClosed
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer contain(&err)
	return fn()
}

// contain is deferred: it converts a panic to an error.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = panicked(p)
	}
}

// panicked returns an error for a panic. It only quotes messages of the runtime, which are known to
// contain no data.
func panicked(p any) error {
	if e, ok := p.(runtime.Error); ok {
		return fmt.Errorf("%w: %w", errCorrupt, e)
	}
	return fmt.Errorf("%w: panic of type %T", errCorrupt, p)
}

// countFailure counts a call if it failed, by its error, which it returns.
func (s *Store) countFailure(err error) error {
	switch {
	case errors.Is(err, ErrNoSpace):
		s.count.refused.Add(1)
	case err == nil, errors.Is(err, ErrTooLarge), errors.Is(err, ErrClosed),
		errors.Is(err, context.Canceled):
	default:
		s.count.failures.Add(1)
	}
	return err
}
