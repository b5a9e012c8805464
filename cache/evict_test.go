package cache

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"killick/cache/platform"
)

// limited returns a store with the smallest limit, in memory if possible.
func limited(t testing.TB) Options {
	return Options{Dir: fastDir(t), Timeout: time.Minute, MaxBytes: MinMaxBytes}
}

// dirBytes returns the present size of a directory.
func dirBytes(t testing.TB, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil { // otherwise it was removed meanwhile
			n += platform.DiskBytes(info)
		}
	}
	return n
}

// evenAtLimit repeats a write while it is refused because an eviction has not made room
// yet.
func evenAtLimit(t testing.TB, write func() error) {
	t.Helper()
	err := write()
	for end := time.Now().Add(time.Minute); errors.Is(err, ErrNoSpace); err = write() {
		if time.Now().After(end) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// skipBadgersRace skips a test that writes while logs are rewritten. Badger begins
// that by reading the version of the memtable that is being written, without a
// lock (DB.MaxVersion in valueLog.rewrite, v4.9.6); an older one does no harm.
func skipBadgersRace(t *testing.T) {
	if raceDetector {
		t.Skip("Badger reads a memtable's version while it is written")
	}
}

// TestStaysBelowItsLimit writes four times a store's limit as fast as possible. Its
// directory never exceeds the limit, the newest values are found, and evicted values can
// be written again.
func TestStaysBelowItsLimit(t *testing.T) {
	skipBadgersRace(t)
	var logged bytes.Buffer
	o := limited(t)
	o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	s := mustOpen(t, o)
	const size = 20_000
	const writes = 4 * MinMaxBytes / size
	value := func(i int) []byte { return noise(i, size) }
	var most int64
	for i := range writes {
		evenAtLimit(t, func() error {
			if i%4 == 0 {
				return putOriginal(background, s, "who", fmt.Sprint(i), value(i))
			}
			_, err := s.Put(background, []Key{testKey(fmt.Append(nil, i))}, 0, value(i))
			return err
		})
		if i%20 == 0 {
			most = max(most, dirBytes(t, o.Dir))
		}
	}
	t.Logf("%d MiB at most, %+v", most>>20, s.Stats())
	if most > o.MaxBytes {
		t.Errorf("%d bytes on disk, want at most %d", most, o.MaxBytes)
	}
	served := func(i int) bool {
		var got []byte
		var err error
		if i%4 == 0 {
			got, err = s.Original(background, "who", fmt.Sprint(i))
			if errors.Is(err, ErrNotFound) {
				return false
			}
		} else {
			var at int
			got, at, _, err = s.Longest(background, []Key{testKey(fmt.Append(nil, i))})
			if at < 0 && err == nil {
				return false
			}
		}
		if err != nil || !bytes.Equal(got, value(i)) {
			t.Fatalf("value %d: %d other bytes, %v", i, len(got), err)
		}
		return true
	}
	for i := writes - 100; i < writes; i++ {
		if !served(i) {
			t.Errorf("value %d, one of the newest hundred, is gone", i)
		}
	}
	if served(0) || served(1) {
		t.Error("the oldest values are there, after four times what the store holds")
	}
	evenAtLimit(t, func() error {
		_, err := s.Put(background, []Key{testKey([]byte("1"))}, 0, value(1))
		return err
	})
	if !served(1) {
		t.Error("an evicted value was written again and is not there")
	}
	n := s.Stats()
	if n.EvictedCheckpoints == 0 || n.EvictedOriginals == 0 || n.Corrupt != 0 || n.Failures != 0 {
		t.Errorf("%+v", n)
	}
	mustClose(t, s)
	if text := logged.String(); !strings.Contains(text, "size limit") ||
		!strings.Contains(text, "limit_mib=32") {
		t.Errorf("logged %s", text)
	}
}

// TestUseKeepsFromEviction uses one conversation's records again and again while
// others fill the store several times over.
func TestUseKeepsFromEviction(t *testing.T) {
	skipBadgersRace(t)
	s := mustOpen(t, limited(t))
	d := s.backend.(*diskBackend)
	const size = 100_000
	key, value := testKey([]byte("in use")), noise(0, size)
	keep := func() {
		evenAtLimit(t, func() error { return putOriginal(background, s, "who", "in use", value) })
	}
	if _, err := s.Put(background, []Key{key}, 0, value); err != nil {
		t.Fatal(err)
	}
	keep()
	use := func(i int) {
		for due := true; due; { // renewals are refused at the limit, and tried again
			var at int
			var err error
			if _, at, due, err = s.Longest(background, []Key{key}); at != 0 || err != nil {
				t.Fatalf("after %d others: found at %d, %v", i, at, err)
			}
			keep() // as the compactor does
		}
	}
	for i := range 2 * MinMaxBytes / size {
		if i%10 == 0 {
			waitFor(t, func() bool { // wakes it as a write does, else it looks once a minute
				return d.checkLimit(0) == nil && d.used() <= d.lookAt.Load()
			})
			use(i)
		}
		evenAtLimit(t, func() error {
			_, err := s.Put(background, []Key{testKey(fmt.Append(nil, i))}, 0, noise(i, size))
			return err
		})
	}
	if n := s.Stats(); n.EvictedCheckpoints == 0 || n.Renewals == 0 || n.Corrupt != 0 {
		t.Errorf("%+v", n)
	}
	if got, err := s.Original(background, "who", "in use"); err != nil || !bytes.Equal(got, value) {
		t.Errorf("the original: %d bytes, %v", len(got), err)
	}
}

// TestLimitLowered opens a store, encrypted or not, that exceeds a lowered limit: it is
// brought below the limit, and keeps the newest records.
func TestLimitLowered(t *testing.T) {
	if testing.Short() {
		t.Skip("TestEvictionUnderWrites evicts under the race detector, with more at once")
	}
	for name, key := range map[string][]byte{"plain": nil, "encrypted": oneKey} {
		t.Run(name, func(t *testing.T) {
			o := limited(t)
			o.EncryptionKey = key
			o.MaxBytes *= 4
			s := mustOpen(t, o)
			const size, writes = 100_000, 3 * MinMaxBytes / 100_000
			for i := range writes {
				_, err := s.Put(background, []Key{testKey(fmt.Append(nil, i))}, 0, noise(i, size))
				if err != nil {
					t.Fatal(err)
				}
			}
			mustClose(t, s)
			if n := dirBytes(t, o.Dir); n < 2*MinMaxBytes {
				t.Fatalf("only %d bytes to begin with", n)
			}
			o.MaxBytes = MinMaxBytes
			s = mustOpen(t, o)
			waitFor(t, func() bool { return dirBytes(t, o.Dir) <= MinMaxBytes })
			found := 0
			for i := range writes {
				_, at, _, err := s.Longest(background, []Key{testKey(fmt.Append(nil, i))})
				if err != nil {
					t.Fatal(err)
				}
				if at == 0 {
					found++
				} else if found > 0 {
					t.Errorf("%d is there and the newer %d is not", i-1, i)
				}
			}
			if found < MinMaxBytes/2/size {
				t.Errorf("only %d values of %d bytes are left", found, size)
			}
		})
	}
}

// TestEvictionPanics has Badger panic while records are evicted, as for a page that cannot
// be read: the panic is logged, and the eviction is tried again within a minute.
func TestEvictionPanics(t *testing.T) {
	var logged bytes.Buffer
	d := &diskBackend{
		dir: fastDir(t), limit: MinMaxBytes, count: new(counters),
		log: slog.New(slog.NewTextHandler(&logged, nil)),
	} // and no database
	err := os.WriteFile(filepath.Join(d.dir, "000001.vlog"), noise(1, MinMaxBytes), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	d.keepLimit()
	if text := logged.String(); !strings.Contains(text, "nil pointer") {
		t.Errorf("logged %q", text)
	}
	if d.lookAt.Load() != lookLater {
		t.Errorf("looks again at %d bytes", d.lookAt.Load())
	}
}

// TestMemoryEvictionsAreCounted fills a store in memory.
func TestMemoryEvictionsAreCounted(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true, tuning: tuning{maxMemory: 1 << 20}})
	for i := range 100 {
		if _, err := s.Put(background, []Key{randomKey()}, 0, noise(i, 20_000)); err != nil {
			t.Fatal(err)
		}
		err := putOriginal(background, s, "who", fmt.Sprint(i), noise(i, 20_000))
		if err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool {
		n := s.Stats()
		return n.EvictedCheckpoints+n.EvictedOriginals >= 140
	})
}
