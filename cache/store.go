package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Errors to branch on. Every one of them means: go on without the store.
var (
	ErrNotFound = errors.New("not in the store")
	ErrTooLarge = errors.New("value too large for the store")
	ErrNoSpace  = errors.New("not enough free space")
	ErrTimeout  = errors.New("the store did not answer in time")
	ErrClosed   = errors.New("store closed")
)

// MaxValueBytes bounds one value. A Badger value log must never be grown while
// it is read (growing may move its mapping under the reader), which a record of
// about half a log file cannot cause; where Options.MaxBytes is below 1 GiB log
// files are smaller, and a value may take a thirty-second of it, compressed.
const MaxValueBytes = 32 << 20

// Store keeps checkpoints and originals. Its methods are safe for concurrent
// use. Nobody may change the bytes that a store hands out, nor keys once they
// are handed in; values handed in are copied.
type Store struct {
	backend backend
	sealer  sealer
	ttl     time.Duration
	timeout time.Duration // zero: the backend cannot hang, calls run in place
	now     func() time.Time

	lookups   *lookups
	recovered string
	count     counters

	slots chan struct{} // calls under way: a hung disk holds so many goroutines at most

	closing      atomic.Bool
	open         sync.RWMutex // held for reading by whoever uses the backend
	closed       bool         // guarded by open
	closeOnce    sync.Once
	closeErr     error
	closeTimeout time.Duration
}

// backend keeps records by name. What it is given and what it returns is never
// changed by either side.
type backend interface {
	// read calls fn with a look-up.
	read(fn func(get getter))
	// claim puts a record under a name, unless one that accept approves of is
	// there: then it keeps that one. The record is asked for only when it is to be
	// written. A durable claim outlasts a loss of power.
	claim(
		n name, record func() []byte, durable bool, accept func(entry) bool,
	) (kept bool, err error)
	// renew replaces the record under a name, if one is there.
	renew(n name, record []byte) error
	// drop removes the records whose names begin with one of prefixes, and returns
	// how many there were.
	drop(prefixes [][]byte) (int, error)
	size() int64
	close() error
}

// getter looks up what is under a name: errCorrupt when it cannot be read.
type getter func(*name) (entry, error)

// entry is a record as a backend holds it.
type entry struct {
	record []byte // nil if there is none
	aged   bool   // it is among the older half of a store that fills up
}

// Recovered returns where a damaged directory was set aside when the store was
// opened, "" if it was sound.
func (s *Store) Recovered() string { return s.recovered }

// hit is a record found, at an index of the names that were asked for.
type hit struct {
	payload payload
	value   []byte // what the payload holds, once it was read
	index   int
	due     bool // its time to live should begin anew
}

func (h *hit) found() bool { return h.payload.version != 0 }

// Longest returns the checkpoint of the longest prefix that has one, and its
// index in keys, the whole chain of [Secret.Chain] or all of it up to a message;
// -1 when none has. Damaged and expired checkpoints count as missing. One that is
// used is kept longer: renewed reports that its time to live begins anew, so that
// what belongs to it can be kept as long.
//
// It looks up the keys behind those of the turn before and one more, however long
// the conversation is.
func (s *Store) Longest(
	ctx context.Context, keys []Key,
) (value []byte, index int, renewed bool, err error) {
	found := hit{index: -1}
	if len(keys) > 0 {
		found, err = call(ctx, s, func(ctx context.Context) (found hit, err error) {
			writes := s.lookups.written(keys).Load() // before a transaction begins
			s.backend.read(func(get getter) {
				found, err = s.longest(get, keys, writes, ctx.Err)
			})
			return found, err
		})
	}
	if err != nil {
		return nil, -1, false, fmt.Errorf("looking for a checkpoint: %w", err)
	}
	if found.index < 0 {
		s.count.misses.Add(1)
		return nil, -1, false, nil
	}
	s.count.hits.Add(1)
	if found.due {
		s.renewLater(checkpointName(keys[found.index]), found.payload)
	}
	return found.value, found.index, found.due, nil
}

// read reads what a look-up gave, and its value; ok only if there is a record, it
// is sound and has not expired.
func (s *Store) read(n *name, e entry, err error) (h hit, ok bool) {
	if h, ok = s.look(n, e, err); !ok {
		return hit{}, false
	}
	if h.value, err = h.payload.unpack(); err != nil {
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
	var expires time.Time
	if err == nil {
		h.payload, expires, err = s.sealer.open(*n, e.record)
	}
	if err != nil {
		s.count.corrupt.Add(1)
		return hit{}, false
	}
	left := expires.Sub(s.now())
	if left <= 0 {
		return hit{}, false
	}
	// Longer than a whole life is left when the clock or the setting went back.
	h.due = e.aged || left < s.ttl/2 || left > s.ttl+time.Minute
	return h, true
}

// Put keeps a checkpoint of the prefix at an index of keys, the chain that
// [Store.Longest] was asked for, and returns what the store now holds there:
// value, or what another writer had put there before, which stays. When it returns
// without an error the checkpoint outlasts a loss of power.
func (s *Store) Put(
	ctx context.Context, keys []Key, index int, value []byte,
) (stored []byte, err error) {
	if len(value) > MaxValueBytes {
		return nil, fmt.Errorf("writing a checkpoint: %w", errTooLarge(len(value), MaxValueBytes))
	}
	n := checkpointName(keys[index])
	record := s.sealer.seal(n, s.now().Add(s.ttl), pack(value))
	made := func() []byte { return record }
	held, err := call(ctx, s, func(context.Context) (hit, error) {
		defer s.lookups.written(keys).Add(1) // after it may be found
		return s.claim(n, made, true, s.read)
	})
	switch {
	case errors.Is(err, ErrNoSpace):
		s.count.refused.Add(1)
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	case err != nil:
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	case !held.found():
		s.count.puts.Add(1)
		return value, nil
	case held.due:
		s.renewLater(n, held.payload)
	}
	s.count.conflicts.Add(1)
	return held.value, nil
}

// record returns a function that makes the record of a value, once at most. It
// copies: a call that nobody waits for any more may still run it.
func (s *Store) record(n name, value []byte) func() []byte {
	value = bytes.Clone(value)
	return sync.OnceValue(func() []byte {
		return s.sealer.seal(n, s.now().Add(s.ttl), pack(value))
	})
}

// claim writes a record, unless one is under its name that look finds sound and
// living: then it returns that one.
func (s *Store) claim(
	n name, record func() []byte, durable bool,
	look func(*name, entry, error) (hit, bool),
) (held hit, err error) {
	kept, err := s.backend.claim(n, record, durable, func(old entry) (ok bool) {
		held, ok = look(&n, old, nil)
		return ok
	})
	if !kept {
		return hit{}, err
	}
	return held, err
}

func errTooLarge(size, most int) error {
	return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, most)
}

func errAtLimit(used, limit int64) error {
	return fmt.Errorf("%w: the store takes %d MiB, and its limit is %d",
		ErrNoSpace, used>>20, limit>>20)
}

// renewLater begins a record's time to live anew without making anybody wait;
// when the store is busy the next use will.
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
