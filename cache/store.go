package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// MaxValueBytes bounds one value. A Badger value log must never be grown while
// it is read (growing may move its mapping under the reader), which a record of
// about half a log file cannot cause; if Options.MaxBytes is below 1 GiB, log files
// are smaller, and a compressed value is limited to 1/32 of it.
const MaxValueBytes = 32 << 20

// Store stores checkpoints and originals. Its methods are safe for concurrent
// use. Callers must not modify the bytes that it returns, nor keys and values after
// passing them in: a call that its caller no longer waits for may still read them.
type Store struct {
	backend backend
	sealer  sealer
	ttl     time.Duration
	timeout time.Duration // zero: the backend cannot hang, calls run in place
	now     func() time.Time

	lookups   *lookups
	recovered string // where a damaged directory was moved when the store was opened
	count     counters

	slots chan struct{} // running calls: bounds the goroutines that a hung disk blocks

	closing      atomic.Bool
	open         sync.RWMutex // held for reading while the backend is used
	closed       bool         // guarded by open
	closeOnce    sync.Once
	closeErr     error
	closeTimeout time.Duration
}

// backend stores records by name. What it is given and what it returns is never
// modified by either side.
type backend interface {
	// read calls fn with a look-up.
	read(fn func(get getter))
	// claim writes records of one kind under their names, in batches. On disk they outlast the
	// process, and checkpoints a power loss, from a moment later on.
	claim(list []*claim) error
	// renew replaces the record under a name, if there is one. It is then no longer
	// evicted before others.
	renew(n name, record []byte) error
	// isCurrent reports whether the record under a name still has the version that a look-up
	// returned.
	isCurrent(n *name, version uint64) bool
	// drop removes the records whose names begin with one of prefixes, and returns
	// how many there were.
	drop(prefixes [][]byte) (int, error)
	size() int64
	close() error
}

// getter looks up a name: errCorrupt if the record cannot be read.
type getter func(*name) (entry, error)

// claim is a record to be written under a name, unless there is one that accept approves: then
// that one is kept. The record is only created when it is to be written.
type claim struct {
	name     name
	record   func() []byte
	accept   func(entry) bool // of no record, too
	replaces *name            // the record that is from now on evicted before others; nil for none

	kept    bool   // what was there
	version uint64 // what was written has this version or a later one
	err     error  // why the record cannot be stored; others are unaffected
}

// entry is a record as a backend holds it.
type entry struct {
	record  []byte // nil if there is none
	version uint64 // when it was written
	aged    bool   // will be evicted before most others, unless it is rewritten
}

// hit is a record found, at an index of the requested names.
type hit struct {
	payload payload
	value   []byte // what the payload holds, once it was read
	index   int
	expires time.Time
	version uint64
	due     bool // its time to live should be renewed
}

func (h *hit) found() bool { return h.payload.version != 0 }

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

// due reports whether the time to live of a record with this expiry should be renewed when it is
// used. More than a whole time to live is left if the clock or the setting went back.
func (s *Store) due(expires time.Time) bool {
	left := expires.Sub(s.now())
	return left < s.ttl/2 || left > s.ttl+time.Minute
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

// readOne reads the record under a name.
func (s *Store) readOne(ctx context.Context, n *name) (hit, error) {
	return call(ctx, s, func(context.Context) (found hit, err error) {
		s.backend.read(func(get getter) {
			e, err := get(n)
			found, _ = s.read(n, e, err)
		})
		return found, nil
	})
}

// read reads the result of a look-up, and its value; ok only if there is a record
// that is intact and has not expired.
func (s *Store) read(n *name, e entry, err error) (h hit, ok bool) {
	if h, ok = s.look(n, e, err); !ok {
		return hit{}, false
	}
	if h.value, err = h.payload.decompress(); err != nil {
		s.count.corrupt.Add(1)
		return hit{}, false
	}
	return h, true
}

// look is read without the value.
func (s *Store) look(n *name, e entry, err error) (h hit, ok bool) {
	if e.record == nil && err == nil {
		return hit{}, false
	}
	if err == nil {
		h.payload, h.expires, err = s.sealer.open(*n, e.record)
	}
	if err != nil {
		s.count.corrupt.Add(1)
		return hit{}, false
	}
	if !h.expires.After(s.now()) {
		return hit{}, false
	}
	h.version, h.due = e.version, e.aged || s.due(h.expires)
	return h, true
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
	switch {
	case errors.Is(err, ErrNoSpace):
		s.count.refused.Add(1)
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	case err != nil:
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
	c.accept = func(entry) bool { return false }
	_, err = call(ctx, s, func(context.Context) (struct{}, error) {
		defer s.lookups.written(keys).Add(1)
		return struct{}{}, s.backend.claim([]*claim{c})
	})
	if err = errors.Join(err, c.err); err != nil {
		return fmt.Errorf("adopting a checkpoint: %w", err)
	}
	return nil
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

// newClaim returns a claim of a name for a value. The record is created at most once.
func (s *Store) newClaim(
	n name, value []byte, compress func(value, room []byte) payload,
) *claim {
	return &claim{name: n, record: sync.OnceValue(func() (record []byte) {
		withRoom(value, func(room []byte) {
			record = s.sealer.seal(n, s.now().Add(s.ttl), compress(value, room))
		})
		return record
	})}
}

// accepting makes a claim keep the existing record if look finds it valid and not expired. The hit
// is that record, once the claim was executed; none if the claim's own was written.
func accepting(c *claim, look func(*name, entry, error) (hit, bool)) *hit {
	held := new(hit)
	c.accept = func(old entry) (ok bool) {
		*held, ok = look(&c.name, old, nil)
		return ok
	}
	return held
}

// renewLater renews a record's time to live without making anybody wait; if the
// store is busy, the next use will renew it.
func (s *Store) renewLater(n name, p payload) {
	record := s.sealer.seal(n, s.now().Add(s.ttl), p)
	renew := func() {
		_, err := inside(s, func() (struct{}, error) {
			return struct{}{}, s.backend.renew(n, record)
		})
		if err == nil {
			s.count.renewals.Add(1)
		}
	}
	if s.timeout == 0 {
		renew()
		return
	}
	select {
	case s.slots <- struct{}{}:
		go func() {
			defer func() { <-s.slots }()
			renew()
		}()
	default:
	}
}

// PutLastSeen stores when a conversation was last seen, under the key of its first message,
// replacing the previous value. A power loss within the next moments may lose it.
func (s *Store) PutLastSeen(ctx context.Context, key Key, value []byte) error {
	c := s.newClaim(lastSeenName(key), value, compress)
	c.accept = func(entry) bool { return false }
	_, err := call(ctx, s, func(context.Context) (struct{}, error) {
		return struct{}{}, s.backend.claim([]*claim{c})
	})
	if err == nil {
		err = c.err
	}
	if err != nil {
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
