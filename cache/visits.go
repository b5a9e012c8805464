package cache

import (
	"context"
	"fmt"
)

// PutVisits keeps when a conversation was last seen, under the key of how it begins, in the place
// of what was kept before. A loss of power within the next moments may cost it.
func (s *Store) PutVisits(ctx context.Context, key Key, value []byte) error {
	c := s.newClaim(visitsName(key), value)
	c.accept = func(entry) bool { return false }
	_, err := call(ctx, s, func(context.Context) (struct{}, error) {
		return struct{}{}, s.backend.claim([]*claim{c}, false)
	})
	if err == nil {
		err = c.err
	}
	if err != nil {
		return fmt.Errorf("writing when a conversation was seen: %w", err)
	}
	return nil
}

// Visits returns what was kept under a key, nil for nothing.
func (s *Store) Visits(ctx context.Context, key Key) ([]byte, error) {
	n := visitsName(key)
	found, err := s.readOne(ctx, &n)
	if err != nil {
		return nil, fmt.Errorf("reading when a conversation was seen: %w", err)
	}
	return found.value, nil
}
