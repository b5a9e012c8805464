// Package series shares what is known of a growing list: each state of it is a value, and
// the next one mostly takes its room over instead of copying it.
//
// It never changes an item that was added.
package series

import "sync/atomic"

// Of is a list at one length. The zero value is empty. It is safe for concurrent use.
type Of[T any] struct {
	items []T
	taken *atomic.Bool // somebody appends after items: others must copy
}

// New returns the series of items, which must not be changed afterwards.
func New[T any](items []T) Of[T] { return Of[T]{items, new(atomic.Bool)} }

// Items are the items of the series. They must not be changed nor appended to.
func (s Of[T]) Items() []T { return s.items[:len(s.items):len(s.items)] }

// Len is how many items there are.
func (s Of[T]) Len() int { return len(s.items) }

// Grow returns the first n items, to be appended to. Of all that are grown from one series
// only the first has its room; items must not be changed.
func (s Of[T]) Grow(n int) []T {
	if n < len(s.items) || s.taken == nil || !s.taken.CompareAndSwap(false, true) {
		return s.items[:n:n]
	}
	return s.items
}

// Cap is how many items there is room for: what the series takes of memory.
func (s Of[T]) Cap() int { return cap(s.items) }
