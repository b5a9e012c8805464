// Package series shares the items of a growing list: each state of the list is a value, and the
// next state mostly reuses its memory instead of copying it.
//
// It never changes an item that was added.
package series

import "sync/atomic"

// Of is a list at one length. The zero value is empty. It is safe for concurrent use.
type Of[T any] struct {
	items []T
	taken *atomic.Bool // a longer series uses the capacity after items, so others must copy
}

// New returns the series of items, which must not be changed afterwards.
func New[T any](items []T) Of[T] { return Of[T]{items, new(atomic.Bool)} }

// Items returns the items of the series. They must not be changed nor appended to.
func (s Of[T]) Items() []T { return s.items[:len(s.items):len(s.items)] }

// Len returns the number of items.
func (s Of[T]) Len() int { return len(s.items) }

// Grow returns the first n items, to be appended to; the items must not be changed. Only the first
// call for a series gets its capacity. Appending to the result of a later call copies the items.
func (s Of[T]) Grow(n int) []T {
	if n < len(s.items) || s.taken == nil || !s.taken.CompareAndSwap(false, true) {
		return s.items[:n:n]
	}
	return s.items
}

// Cap returns how many items fit into the memory of the series.
func (s Of[T]) Cap() int { return cap(s.items) }
