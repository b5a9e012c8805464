package cache

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Found is a checkpoint that was found. It must not be modified.
type Found struct {
	Value []byte
	Index int // in the keys that were asked for

	key     Key
	expires time.Time
	version uint64
	state   state // of the conversation when it was looked for
}

// Find returns the checkpoint of the longest prefix that has one, nil if none has. keys are the
// whole chain of [Secret.Chain] or all of it up to a message. before is the checkpoint that was
// found last time for the conversation, or nil: if the same one is found again, it is not read
// again. Damaged and expired checkpoints count as missing. Use renews the time to live: renewed
// reports that it was, so that what belongs to the checkpoint can be kept as long.
//
// It looks up the keys after those of the previous turn and one more, for conversations of any
// length.
func (s *Store) Find(
	ctx context.Context, keys []Key, before *Found,
) (found *Found, renewed bool, err error) {
	h, now := hit{index: -1}, state{}
	if len(keys) > 0 {
		now = s.lookups.state(keys) // before a transaction begins
		known := -1
		if before != nil && s.isCurrent(before, keys, now) {
			known = before.Index
		}
		h, err = call(ctx, s, func(ctx context.Context) (h hit, err error) {
			s.backend.read(func(get getter) {
				h, err = s.longest(get, keys, known, now.writes, ctx.Err)
			})
			return h, err
		})
		if h.index >= 0 && h.index == known {
			s.count.hits.Add(1)
			return before, false, nil
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("looking for a checkpoint: %w", err)
	}
	if h.index < 0 {
		s.count.misses.Add(1)
		return nil, false, nil
	}
	s.count.hits.Add(1)
	key := keys[h.index]
	if h.due {
		s.renewLater(checkpointName(key), h.payload)
	}
	return &Found{
		Value: h.value, Index: h.index,
		key: key, expires: h.expires, version: h.version, state: now,
	}, h.due, nil
}

// isCurrent reports whether a found checkpoint is still current: none was written or deleted since,
// and its time to live need not be renewed yet.
func (s *Store) isCurrent(f *Found, keys []Key, now state) bool {
	if f.Index >= len(keys) || keys[f.Index] != f.key || f.state != now || s.due(f.expires) {
		return false
	}
	n := checkpointName(f.key)
	return s.backend.isCurrent(&n, f.version)
}

// longest finds the last key that has a valid checkpoint that has not expired. The one at index
// known, -1 for none, is known to be valid. It stops with the error of stopped.
//
// writes is the count of the chain's writes from before get's snapshot of the store, which may
// not contain later writes.
func (s *Store) longest(
	get getter, keys []Key, known int, writes uint32, stopped func() error,
) (hit, error) {
	found, unreadable := hit{index: -1}, false
	n := new(name)
	for i := len(keys) - 1; i >= 0; i-- {
		if err := stopped(); err != nil {
			return hit{index: -1}, err
		}
		if i = s.lookups.skip(keys[:i+1], writes); i == known {
			found.index = known
			break
		}
		*n = checkpointName(keys[i])
		e, err := get(n)
		h, ok := s.read(n, e, err)
		if ok {
			h.index = i
			found = h
			break
		}
		unreadable = unreadable || err != nil
	}
	if !unreadable {
		s.lookups.remember(keys, found.index, writes)
	}
	return found, nil
}

// Checkpoint returns the checkpoint of who under a key, else [ErrNotFound].
func (s *Store) Checkpoint(ctx context.Context, who string, key Key) ([]byte, error) {
	n := checkpointName(key)
	found, err := s.readOne(ctx, &n)
	if err != nil {
		return nil, fmt.Errorf("reading a checkpoint: %w", err)
	}
	if owner := Owner(who); !found.found() || owner != [ownerBytes]byte(key[:]) {
		return nil, fmt.Errorf("reading a checkpoint: %w", ErrNotFound)
	}
	return found.value, nil
}

// Replace stores a checkpoint of the prefix at an index of keys, the chain that was passed to
// [Store.Find], and returns what the store now holds there: value, or what another writer stored
// before, which stays. A power loss within the next moments may lose it. The next Find can be given
// it as what was found last.
//
// The checkpoint replaces the one at another index, -1 for none. The replaced one is still found,
// until a store near its size limit evicts it, before anything else.
func (s *Store) Replace(
	ctx context.Context, keys []Key, index, replaced int, value []byte,
) (stored *Found, err error) {
	c, err := s.claimOf(keys, index, replaced, value)
	if err != nil {
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	}
	before, expires := s.lookups.state(keys), s.now().Add(s.ttl)
	held, err := call(ctx, s, func(context.Context) (hit, error) {
		defer s.lookups.wrote(keys, index, before.writes) // after it can be found
		held := accepting(c, s.read)
		if err := s.backend.claim([]*claim{c}); err != nil || c.err != nil {
			return hit{}, errors.Join(err, c.err)
		}
		return *held, nil
	})
	if err != nil {
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	}
	// With another write meanwhile, this is not the state any more, and Find reads it again.
	stored = &Found{Index: index, key: keys[index], state: before}
	stored.state.writes++
	if !held.found() {
		s.count.puts.Add(1)
		stored.Value, stored.expires, stored.version = value, expires, c.version
		return stored, nil
	}
	if held.due {
		s.renewLater(c.name, held.payload)
	}
	s.count.conflicts.Add(1)
	stored.Value, stored.expires, stored.version = held.value, held.expires, held.version
	return stored, nil
}

// Adopt is Replace for a checkpoint from an authoritative store: it overwrites what is there. A
// power loss within the next moments may lose it.
func (s *Store) Adopt(
	ctx context.Context, keys []Key, index, replaced int, value []byte,
) error {
	c, err := s.claimOf(keys, index, replaced, value)
	if err != nil {
		return fmt.Errorf("adopting a checkpoint: %w", err)
	}
	writes := s.lookups.written(keys)
	if err := s.overwrite(ctx, c, func() { writes.Add(1) }); err != nil {
		return fmt.Errorf("adopting a checkpoint: %w", err)
	}
	return nil
}

// overwrite writes a claim, whatever the store holds there, and then calls done.
func (s *Store) overwrite(ctx context.Context, c *claim, done func()) error {
	c.accept = func(entry) bool { return false }
	_, err := call(ctx, s, func(context.Context) (struct{}, error) {
		defer done()
		err := s.backend.claim([]*claim{c})
		return struct{}{}, errors.Join(err, c.err) // not read outside: call may not wait for this
	})
	return err
}

// claimOf returns the claim of a checkpoint at an index of keys that replaces another, as for
// [Store.Replace].
func (s *Store) claimOf(keys []Key, index, replaced int, value []byte) (*claim, error) {
	if len(value) > MaxValueBytes {
		return nil, errTooLarge(len(value), MaxValueBytes)
	}
	c := s.newClaim(checkpointName(keys[index]), value, compressS2)
	if replaced >= 0 && replaced != index {
		old := checkpointName(keys[replaced])
		c.replaces = &old
	}
	return c, nil
}

// PutLastSeen stores when a conversation was last seen, under the key of its first message,
// replacing the previous value. A power loss within the next moments may lose it.
func (s *Store) PutLastSeen(ctx context.Context, key Key, value []byte) error {
	c := s.newClaim(lastSeenName(key), value, compress)
	if err := s.overwrite(ctx, c, func() {}); err != nil {
		return fmt.Errorf("writing when a conversation was seen: %w", err)
	}
	return nil
}

// LastSeen returns what [Store.PutLastSeen] stored under a key, nil if nothing.
func (s *Store) LastSeen(ctx context.Context, key Key) ([]byte, error) {
	n := lastSeenName(key)
	found, err := s.readOne(ctx, &n)
	if err != nil {
		return nil, fmt.Errorf("reading when a conversation was seen: %w", err)
	}
	return found.value, nil
}
