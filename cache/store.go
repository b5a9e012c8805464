package cache

import (
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
	hung  atomic.Int32  // calls that run although they have had their whole time-out

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

// Errors to branch on. With each of them, callers proceed without the store.
var (
	ErrNotFound = errors.New("not in the store")
	ErrTooLarge = errors.New("value too large for the store")
	ErrNoSpace  = errors.New("not enough free space")
	ErrTimeout  = errors.New("the store did not answer in time")
	ErrClosed   = errors.New("store closed")
)

func errTooLarge(size, most int) error {
	return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, most)
}

func errAtLimit(used, limit int64) error {
	return fmt.Errorf("%w: the store takes %d MiB, and its limit is %d",
		ErrNoSpace, used>>20, limit>>20)
}

// CloseTimeout is the most time that [Store.Close] takes.
const CloseTimeout = 15 * time.Second

// Close closes the store: running calls finish, later ones get [ErrClosed]. It
// waits at most CloseTimeout, which only a hung disk can cause. Further calls return the
// same result.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.closing.Store(true)
		done := make(chan error, 1)
		go func() {
			s.open.Lock()
			s.closed = true
			s.open.Unlock()
			done <- s.backend.close()
		}()
		timer := time.NewTimer(s.closeTimeout)
		defer timer.Stop()
		select {
		case s.closeErr = <-done:
		case <-timer.C:
			s.closeErr = fmt.Errorf("still busy after %v", s.closeTimeout)
		}
	})
	return s.closeErr
}

// Stats returns the counts up to now.
func (s *Store) Stats() Stats {
	c := &s.count
	return Stats{
		Hits: c.hits.Load(), Misses: c.misses.Load(),
		Puts: c.puts.Load(), Conflicts: c.conflicts.Load(),
		OriginalPuts:       c.originalPuts.Load(),
		Deleted:            c.deleted.Load(),
		EvictedCheckpoints: c.evictedCheckpoints.Load(),
		EvictedOriginals:   c.evictedOriginals.Load(),
		Renewals:           c.renewals.Load(), Corrupt: c.corrupt.Load(),
		Refused: c.refused.Load(), Failures: c.failures.Load(), GCRuns: c.gcRuns.Load(),
		Bytes: s.backend.size(),
	}
}
