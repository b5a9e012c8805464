package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// call runs fn and waits for it at most the store's time-out. What fn does after
// that is discarded.
func call[T any](ctx context.Context, s *Store, fn func(context.Context) (T, error)) (T, error) {
	return callFor(ctx, s, s.timeout, fn)
}

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
