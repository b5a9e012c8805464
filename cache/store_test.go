package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/chattest"
)

var background = context.Background()

// clock is a clock that only moves when it is set.
type clock struct{ now atomic.Int64 }

// putOriginal stores one original.
func putOriginal(ctx context.Context, s *Store, who, ref string, content []byte) error {
	return s.PutOriginals(ctx, who, []Original{{Ref: ref, Content: content}})
}

func newClock() *clock {
	c := new(clock)
	c.now.Store(time.Now().Unix())
	return c
}

func (c *clock) read() time.Time         { return time.Unix(c.now.Load(), 0) }
func (c *clock) advance(d time.Duration) { c.now.Add(int64(d / time.Second)) }

// onBoth runs a test on both backends.
func onBoth(t *testing.T, run func(t *testing.T, o Options)) {
	t.Run("disk", func(t *testing.T) {
		o := small(filepath.Join(t.TempDir(), "store"))
		run(t, o)
	})
	t.Run("memory", func(t *testing.T) { run(t, Options{InMemory: true}) })
}

func TestRoundTrip(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		o.logFileBytes = 0 // of the default size, for the larger values
		s := mustOpen(t, o)
		for _, size := range []int{0, 1, 1023, 1024, 40_000, 3 << 20} {
			value := bytes.Repeat([]byte("x"), size)
			key := randomKey()
			given := bytes.Clone(value)
			stored, err := s.Put(background, []Key{key}, 0, given)
			if err != nil || !bytes.Equal(stored, value) {
				t.Fatalf("Put of %d bytes: %d bytes, %v", size, len(stored), err)
			}
			clear(given) // the store has its own copy
			got, at, _, err := s.Longest(background, []Key{key})
			if err != nil || at != 0 || !bytes.Equal(got, value) {
				t.Errorf("Longest of %d bytes: %d bytes, index %d, %v", size, len(got), at, err)
			}
			if err := putOriginal(background, s, "who", fmt.Sprint(size), value); err != nil {
				t.Fatal(err)
			}
			got, err = s.Original(background, "who", fmt.Sprint(size))
			if err != nil || !bytes.Equal(got, value) {
				t.Errorf("Original of %d bytes: %d bytes, %v", size, len(got), err)
			}
		}
		if _, err := s.Original(background, "who", "none"); !errors.Is(err, ErrNotFound) {
			t.Errorf("Original of nothing: %v, want ErrNotFound", err)
		}
		got := s.Stats()
		if got.Hits != 6 || got.Puts != 6 || got.OriginalPuts != 6 {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestReopen(t *testing.T) {
	o := small(t.TempDir())
	sm := newSample()
	s := mustOpen(t, o)
	sm.put(t, s, 0, len(sm.keys))
	mustClose(t, s)
	s = mustOpen(t, o)
	if n := sm.check(t, s); n != len(sm.keys) {
		t.Errorf("%d of %d values after opening again", n, len(sm.keys))
	}
	if s.recovered != "" {
		t.Errorf("set aside a sound store in %s", s.recovered)
	}
	if s.Stats().Bytes == 0 {
		t.Error("takes no bytes")
	}
}

func TestTooLarge(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		o.logFileBytes = 0
		s := mustOpen(t, o)
		value := bytes.Repeat([]byte("secret "), MaxValueBytes/7+1)
		_, err := s.Put(background, []Key{randomKey()}, 0, value)
		if !errors.Is(err, ErrTooLarge) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Put of %d bytes: %v", len(value), err)
		}
		if _, err := s.Put(background, []Key{randomKey()}, 0, value[:MaxValueBytes]); err != nil {
			t.Errorf("Put of %d bytes: %v", MaxValueBytes, err)
		}
	})
}

// TestBadgersRefusalIsNotQuoted has Badger refuse a value, which it quotes in its error.
func TestBadgersRefusalIsNotQuoted(t *testing.T) {
	o := small(t.TempDir())
	s := mustOpen(t, o)
	s.backend.(*diskBackend).maxRecord = math.MaxInt // otherwise the value does not reach Badger
	value := append([]byte("secret "), noise(1, int(o.logFileBytes)*7/5)...)
	_, err := s.Put(background, []Key{randomKey()}, 0, value)
	if err == nil || strings.Contains(err.Error(), "secret") ||
		strings.Contains(err.Error(), "73 65 63") {
		t.Errorf("got %.200v", err)
	}
}

func TestLongestPrefixWins(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		keys := make([]Key, 601)
		for i := range keys {
			keys[i] = randomKey()
		}
		look := func(want int) {
			t.Helper()
			value, at, _, err := s.Longest(background, keys)
			if err != nil || at != want || (want >= 0 && string(value) != fmt.Sprint(want)) {
				t.Errorf("found %q at %d, %v, want %d", value, at, err, want)
			}
		}
		look(-1)
		for _, i := range []int{0, 300, 599, 600} {
			if _, err := s.Put(background, keys, i, fmt.Append(nil, i)); err != nil {
				t.Fatal(err)
			}
			look(i)
		}
		if _, at, _, err := s.Longest(background, nil); at != -1 || err != nil {
			t.Errorf("no keys: index %d, %v", at, err)
		}
	})
}

func TestFirstWriterWins(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		const writers, rounds = 16, 20
		for round := range rounds {
			key := randomKey()
			got := make([][]byte, writers)
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					value := fmt.Appendf(nil, "round %d, writer %d", round, w)
					stored, err := s.Put(background, []Key{key}, 0, value)
					if err != nil {
						t.Error(err)
					}
					got[w] = stored
				})
			}
			all.Wait()
			kept, at, _, err := s.Longest(background, []Key{key})
			if err != nil || at != 0 {
				t.Fatal(at, err)
			}
			for w := range got {
				if !bytes.Equal(got[w], kept) {
					t.Errorf("writer %d got %q, kept is %q", w, got[w], kept)
				}
			}
		}
		if n := s.Stats(); n.Puts != rounds || n.Conflicts != rounds*(writers-1) {
			t.Errorf("%d puts and %d conflicts of %d writers in %d rounds",
				n.Puts, n.Conflicts, writers, rounds)
		}
	})
}

func TestExpiry(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		c := newClock()
		o.Clock, o.TTL = c.read, 10*time.Hour
		s := mustOpen(t, o)
		key := randomKey()
		put := func(value string) string {
			stored, err := s.Put(background, []Key{key}, 0, []byte(value))
			if err != nil {
				t.Fatal(err)
			}
			return string(stored)
		}
		found := func() bool {
			renewals := s.Stats().Renewals
			_, at, renewed, err := s.Longest(background, []Key{key})
			if err != nil {
				t.Fatal(err)
			}
			if renewed {
				waitFor(t, func() bool { return s.Stats().Renewals > renewals })
			}
			return at == 0
		}
		put("first")
		c.advance(4 * time.Hour)
		if !found() || s.Stats().Renewals != 0 {
			t.Fatalf("after 4 of 10 hours: want it there and not renewed; %+v", s.Stats())
		}
		c.advance(2 * time.Hour)
		if !found() || s.Stats().Renewals != 1 {
			t.Fatalf("after 6 of 10 hours: want it there and renewed; %+v", s.Stats())
		}
		c.advance(9 * time.Hour)
		if !found() {
			t.Fatal("gone 9 hours after its use")
		}
		c.advance(11 * time.Hour)
		if found() {
			t.Fatal("there 11 hours after its last use")
		}
		if got := put("second"); got != "second" {
			t.Errorf("an expired value stays: %q", got)
		}
		if s.Stats().Corrupt != 0 {
			t.Errorf("%d damaged", s.Stats().Corrupt)
		}

		// Records written while the clock was far ahead must not be kept longer.
		c.advance(1000 * time.Hour)
		key = randomKey()
		put("from the future")
		c.advance(-1000 * time.Hour)
		if !found() {
			t.Fatal("gone when the clock went back")
		}
		c.advance(11 * time.Hour)
		if found() {
			t.Error("kept as long as the wrong clock said")
		}
	})
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}

func TestIsolation(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		secret := NewSecret()
		a, b := secret.Who("key-a"), secret.Who("key-b")
		content := []byte("the output of a tool")
		if secret.Ref(a, content) == secret.Ref(b, content) {
			t.Error("two credentials have one ref for the same content")
		}
		ref := secret.Ref(a, content)
		if err := putOriginal(background, s, a, ref, content); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Original(background, b, ref); !errors.Is(err, ErrNotFound) {
			t.Errorf("with the ref of another credential: %v", err)
		}
		msgs := chattest.Messages(t, `{"role":"user","content":"hello"}`)
		chain := secret.Chain(Scope{Who: a}, msgs)
		if _, err := s.Put(background, []Key{last(chain)}, 0, content); err != nil {
			t.Fatal(err)
		}
		_, at, _, err := s.Longest(background, secret.Chain(Scope{Who: b}, msgs))
		if at != -1 || err != nil {
			t.Errorf("another credential finds the checkpoint at %d, %v", at, err)
		}
	})
}

// TestForgedRecord writes records into a store with another secret: they must not be
// accepted.
func TestForgedRecord(t *testing.T) {
	o := small(t.TempDir())
	key := randomKey()
	o.Secret = NewSecret()
	s := mustOpen(t, o)
	if _, err := s.Put(background, []Key{key}, 0, []byte("forged")); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	o.Secret = NewSecret()
	s = mustOpen(t, o)
	_, at, _, err := s.Longest(background, []Key{key})
	if at != -1 || err != nil || s.Stats().Corrupt != 1 {
		t.Errorf("found at %d, %v; %d counted as damaged", at, err, s.Stats().Corrupt)
	}
	got, err := s.Put(background, []Key{key}, 0, []byte("true"))
	if err != nil || string(got) != "true" {
		t.Errorf("over a damaged record: %q, %v", got, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true, tuning: tuning{maxMemory: 1 << 20}})
	for range 1000 {
		if _, err := s.Put(background, []Key{randomKey()}, 0, make([]byte, 10<<10)); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { return s.Stats().Bytes <= 1<<20 })
}

// Badger's default settings would take twice the limit of this test before anything is
// stored, and more with each memtable.
func TestDiskStoreTakesLittleMemory(t *testing.T) {
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	s := mustOpen(t, Options{Dir: t.TempDir() + "/store"})
	for i := range 20 {
		err := putOriginal(background, s, "who", fmt.Sprint(i), make([]byte, 200<<10))
		if err != nil {
			t.Fatal(err)
		}
	}
	if took := inUse() - before; took > 40<<20 {
		t.Errorf("a store of 4 MB takes %d MiB", took>>20)
	}
	mustClose(t, s)
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{},
		{InMemory: true, TTL: time.Millisecond},
		{InMemory: true, TTL: -time.Hour},
		{InMemory: true, Timeout: -1},
		{InMemory: true, MaxBytes: MinMaxBytes - 1},
	} {
		if s, err := Open(o); err == nil {
			s.Close()
			t.Errorf("%+v: no error", o)
		}
	}
}
