package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
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
// less than half a log file cannot cause.
const MaxValueBytes = 32 << 20

// Options say where a store lives and for how long it keeps what it is given.
type Options struct {
	Dir      string // the store's own directory, made if missing; one process at a time
	InMemory bool   // no directory at all: everything goes with the process

	TTL       time.Duration // how long what nobody uses is kept; if zero, 168 h
	MaxMemory int64         // bytes that the in-memory store may hold; if zero, 256 MiB
	Timeout   time.Duration // the longest that a call waits for the disk; if zero, 2 s

	// Secret keys the seal of every record, so that a record which somebody else
	// wrote into the directory reads as damaged. If zero, seals are plain
	// checksums.
	Secret Secret

	// EncryptionKey encrypts what the directory holds: 16, 24 or 32 bytes, for
	// AES-128, AES-192 or AES-256. If empty, nothing is encrypted. See [LoadKey].
	EncryptionKey []byte

	Logger *slog.Logger     // if nil, nothing is logged
	Clock  func() time.Time // if nil, time.Now

	tuning
}

// tuning is what only tests change.
type tuning struct {
	gcEvery      time.Duration // between two looks at the value log; if zero, 10 min
	logFileBytes int64         // size of a value-log file; if zero, 64 MiB
	reserve      uint64        // free bytes that writing leaves to Badger; if zero, 16 MiB
	closeTimeout time.Duration // how long Close waits; if zero, 15 s
	keyEvery     time.Duration // how long a data key is used for new files; if zero, 24 h

	open func(badger.Options) (*badger.DB, error) // if nil, badger.Open
}

func (o Options) withDefaults() (Options, error) {
	if o.TTL == 0 {
		o.TTL = 168 * time.Hour
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 256 << 20
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.gcEvery == 0 {
		o.gcEvery = 10 * time.Minute
	}
	if o.logFileBytes == 0 {
		o.logFileBytes = 64 << 20
	}
	if o.reserve == 0 {
		o.reserve = 16 << 20
	}
	if o.closeTimeout == 0 {
		o.closeTimeout = 15 * time.Second
	}
	if o.keyEvery == 0 {
		o.keyEvery = 24 * time.Hour
	}
	if o.tuning.open == nil {
		o.tuning.open = badger.Open
	}
	switch {
	case o.TTL < time.Second || o.MaxMemory < 0 || o.Timeout < 0:
		return o, fmt.Errorf("store options: TTL %v, MaxMemory %d, Timeout %v: want a TTL of at least 1s and nothing negative",
			o.TTL, o.MaxMemory, o.Timeout)
	case !keySize(len(o.EncryptionKey)) && len(o.EncryptionKey) > 0:
		return o, fmt.Errorf("store options: an encryption key of %d bytes: want 16, 24 or 32", len(o.EncryptionKey))
	case o.Dir == "" && !o.InMemory:
		return o, errors.New("store options: Dir is empty: want a directory, or InMemory")
	}
	return o, nil
}

// Store keeps checkpoints and originals. Its methods are safe for concurrent
// use. Nobody may change the bytes that a store hands out, nor keys once they
// are handed in; values handed in are copied.
type Store struct {
	backend backend
	sealer  sealer
	ttl     time.Duration
	timeout time.Duration // zero: the backend cannot hang, calls run in place
	now     func() time.Time

	recovered string
	count     counters
	slots     chan struct{} // calls under way, so that a hung disk holds a bounded number of goroutines

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
	// read calls fn with a look-up: nil when nothing stands under a name,
	// errCorrupt when what stands there cannot be read.
	read(fn func(get func(*name) ([]byte, error)))
	// claim puts a record under a name, unless one that accept approves of
	// stands there: then it returns that one. A durable claim outlasts a loss of
	// power.
	claim(n name, record []byte, durable bool, accept func(standing []byte) bool) (standing []byte, err error)
	// renew replaces the record under a name, if one stands there.
	renew(n name, record []byte) error
	// drop removes the records whose names begin with one of prefixes, and tells
	// how many there were.
	drop(prefixes [][]byte) (int, error)
	size() int64
	close() error
}

// Recovered returns where a damaged directory was set aside when the store was
// opened, "" if it was sound.
func (s *Store) Recovered() string { return s.recovered }

// hit is a value found, at an index of the names that were asked for.
type hit struct {
	value []byte
	index int
	due   bool // its time to live should begin anew
}

// Longest returns the checkpoint of the longest prefix that has one, and its
// index in keys, which come from [Secret.Chain]; -1 when none has. Damaged and
// expired checkpoints count as missing. One that is used is kept longer: renewed
// tells when its time to live begins anew, so that what belongs to it can be kept
// as long.
func (s *Store) Longest(ctx context.Context, keys []Key) (value []byte, index int, renewed bool, err error) {
	found, err := s.find(ctx, len(keys), func(i int) name { return checkpointName(keys[i]) })
	if err != nil {
		return nil, -1, false, fmt.Errorf("looking for a checkpoint: %w", err)
	}
	if found.index < 0 {
		s.count.misses.Add(1)
	} else {
		s.count.hits.Add(1)
	}
	return found.value, found.index, found.due, nil
}

// Original returns what was kept under a ref of [Secret.Ref] for the same who,
// else [ErrNotFound].
func (s *Store) Original(ctx context.Context, who, ref string) ([]byte, error) {
	found, err := s.find(ctx, 1, func(int) name { return originalName(who, ref) })
	if err != nil {
		return nil, fmt.Errorf("reading an original: %w", err)
	}
	if found.index < 0 {
		s.count.originalMisses.Add(1)
		return nil, fmt.Errorf("reading an original: %w", ErrNotFound)
	}
	s.count.originalHits.Add(1)
	return found.value, nil
}

// find returns the last of n names that has a sound, living record.
func (s *Store) find(ctx context.Context, n int, at func(int) name) (hit, error) {
	found, err := call(ctx, s, func(ctx context.Context) (hit, error) {
		found := hit{index: -1}
		var err error
		nm := new(name)
		s.backend.read(func(get func(*name) ([]byte, error)) {
			for i := n - 1; i >= 0 && found.index < 0; i-- {
				if err = ctx.Err(); err != nil {
					return
				}
				*nm = at(i)
				if value, due, ok := s.look(get, nm); ok {
					found = hit{value: value, index: i, due: due}
				}
			}
		})
		return found, err
	})
	if err == nil && found.due {
		s.renewLater(at(found.index), found.value)
	}
	return found, err
}

// look reads one record; ok only if it is sound and has not expired.
func (s *Store) look(get func(*name) ([]byte, error), n *name) (value []byte, due, ok bool) {
	record, err := get(n)
	if record == nil && err == nil {
		return nil, false, false
	}
	var expires time.Time
	if err == nil {
		value, expires, err = s.sealer.open(*n, record)
	}
	if err != nil {
		s.count.corrupt.Add(1)
		return nil, false, false
	}
	left := expires.Sub(s.now())
	if left <= 0 {
		return nil, false, false
	}
	// Longer than a whole life is left when the clock or the setting went back.
	return value, left < s.ttl/2 || left > s.ttl+time.Minute, true
}

// Put keeps a checkpoint and returns what the store now holds under key: value,
// or what another writer had put there before, which stays. When it returns
// without an error the checkpoint outlasts a loss of power.
func (s *Store) Put(ctx context.Context, key Key, value []byte) (stored []byte, err error) {
	stored, isNew, err := s.put(ctx, checkpointName(key), value, true)
	if err != nil {
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	}
	if isNew {
		s.count.puts.Add(1)
	} else {
		s.count.conflicts.Add(1)
	}
	return stored, nil
}

// PutOriginal keeps content under a ref of [Secret.Ref] for who. It outlasts the
// process; a loss of power within the next moments may cost it.
func (s *Store) PutOriginal(ctx context.Context, who, ref string, content []byte) error {
	_, isNew, err := s.put(ctx, originalName(who, ref), content, false)
	if err != nil {
		return fmt.Errorf("writing an original: %w", err)
	}
	if isNew {
		s.count.originalPuts.Add(1)
	}
	return nil
}

// Original is content under its ref.
type Original struct {
	Ref     string
	Content []byte
}

// PutOriginals is PutOriginal for several at once, which wait for the disk
// together. Those that cannot be kept cost the others nothing; the first error is
// returned.
func (s *Store) PutOriginals(ctx context.Context, who string, list []Original) error {
	type sealed struct {
		name   name
		record []byte
	}
	records := make([]sealed, 0, len(list))
	var failed error
	for _, o := range list {
		if len(o.Content) > MaxValueBytes {
			failed = fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(o.Content), MaxValueBytes)
			continue
		}
		n := originalName(who, o.Ref)
		records = append(records, sealed{n, s.sealer.seal(n, s.now().Add(s.ttl), o.Content)})
	}
	due, err := call(ctx, s, func(ctx context.Context) (due []hit, err error) {
		for i := range records {
			if err := ctx.Err(); err != nil {
				return due, err
			}
			r, found := &records[i], hit{index: i}
			standing, err := s.backend.claim(r.name, r.record, false, func(standing []byte) (ok bool) {
				get := func(*name) ([]byte, error) { return standing, nil }
				found.value, found.due, ok = s.look(get, &r.name)
				return ok
			})
			switch {
			case err != nil:
				return due, err
			case standing == nil:
				s.count.originalPuts.Add(1)
			case found.due:
				due = append(due, found)
			}
		}
		return due, nil
	})
	for _, found := range due {
		s.renewLater(records[found.index].name, found.value)
	}
	if errors.Is(err, ErrNoSpace) {
		s.count.refused.Add(1)
	}
	if err = errors.Join(failed, err); err != nil {
		return fmt.Errorf("writing originals: %w", err)
	}
	return nil
}

func (s *Store) put(ctx context.Context, n name, value []byte, durable bool) (stored []byte, isNew bool, err error) {
	if len(value) > MaxValueBytes {
		return nil, false, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(value), MaxValueBytes)
	}
	record := s.sealer.seal(n, s.now().Add(s.ttl), value)
	standing, err := call(ctx, s, func(context.Context) (hit, error) {
		var found hit
		_, err := s.backend.claim(n, record, durable, func(standing []byte) (ok bool) {
			get := func(*name) ([]byte, error) { return standing, nil }
			found.value, found.due, ok = s.look(get, &n)
			return ok
		})
		return found, err
	})
	switch {
	case errors.Is(err, ErrNoSpace):
		s.count.refused.Add(1)
		return nil, false, err
	case err != nil:
		return nil, false, err
	case standing.value == nil:
		return value, true, nil
	case standing.due:
		s.renewLater(n, standing.value)
	}
	return standing.value, false, nil
}

// renewLater begins a record's time to live anew without making anybody wait;
// when the store is busy the next use will.
func (s *Store) renewLater(n name, value []byte) {
	record := s.sealer.seal(n, s.now().Add(s.ttl), value)
	renew := func() {
		_, err := inside(s, func() (struct{}, error) { return struct{}{}, s.backend.renew(n, record) })
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
