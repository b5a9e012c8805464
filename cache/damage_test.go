package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// small has value logs of 1 MiB, so that a store has several files of each kind.
func small(dir string) Options {
	return Options{Dir: dir, Timeout: time.Minute, tuning: tuning{logFileBytes: 1 << 20}}
}

// sample is the content of every store before it was damaged: values in tables, in
// write-ahead logs and in value logs, old and new.
type sample struct {
	keys   []Key
	values [][]byte
}

func newSample() sample {
	var s sample
	for i := range 150 {
		s.keys = append(s.keys, testKey(fmt.Append(nil, "key", i)))
		size := []int{10, 300, 900, 5000, 30000}[i%5]
		text := fmt.Append(nil, "value ", i, ";")
		if i%10 < 5 { // stored uncompressed
			s.values = append(s.values, append(text, noise(i, size)...))
		} else {
			s.values = append(s.values, append(text, prose(i, 3*size)...))
		}
	}
	return s
}

func (sm sample) put(t testing.TB, s *Store, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if _, err := s.Put(context.Background(), []Key{sm.keys[i]}, 0, sm.values[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// check reads everything and returns how many values are left. Anything except the right
// bytes or a miss fails the test.
func (sm sample) check(t *testing.T, s *Store) (found int) {
	t.Helper()
	for i := range sm.keys {
		value, at, _, err := s.Longest(context.Background(), sm.keys[i:i+1])
		if err != nil {
			t.Errorf("value %d: %v", i, err)
		}
		if at < 0 {
			continue
		}
		found++
		if !bytes.Equal(value, sm.values[i]) {
			t.Errorf("value %d reads as %d other bytes", i, len(value))
		}
	}
	return found
}

func mustOpen(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// killedStore returns the files of a store whose process was killed: closed cleanly
// once, then copied while it was open.
func killedStore(t testing.TB, sm sample) string {
	t.Helper()
	dir, killed := t.TempDir(), t.TempDir()
	s := mustOpen(t, small(dir))
	sm.put(t, s, 0, 60)
	mustClose(t, s)
	s = mustOpen(t, small(dir))
	sm.put(t, s, 60, len(sm.keys))
	copyDir(t, dir, killed)
	mustClose(t, s)
	return killed
}

// fastDir makes a directory for a store, in memory if the system allows that, where syncs
// cost nothing.
func fastDir(t testing.TB) string {
	t.Helper()
	parent, err := os.MkdirTemp("/dev/shm", "killick-test-")
	if err != nil {
		parent = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(parent) })
	dir := filepath.Join(parent, "store")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyDir copies files without the holes at their ends.
func copyDir(t testing.TB, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		writeSparse(t, filepath.Join(to, e.Name()), data)
	}
}

func writeSparse(t testing.TB, path string, data []byte) {
	t.Helper()
	used := bytes.TrimRight(data, "\x00")
	if err := os.WriteFile(path, used, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(data))); err != nil {
		t.Fatal(err)
	}
}

// harm is one way to damage a file of n bytes in use.
type harm struct {
	name string
	do   func(data []byte, at int) []byte
}

var harms = []harm{
	{"flip", func(d []byte, at int) []byte { d[at] ^= 1 << (at % 8); return d }},
	{"cut", func(d []byte, at int) []byte { return d[:at] }},
	{"zero", func(d []byte, at int) []byte { clear(d[at:min(at+512, len(d))]); return d }},
	{"ones", func(d []byte, at int) []byte {
		for i := at; i < min(at+16, len(d)); i++ {
			d[i] = 0xff
		}
		return d
	}},
}

// TestDamagedFiles harms every file of a store in many places, each place in several files. The
// store must open, in place or afresh, and give back the right bytes or nothing.
func TestDamagedFiles(t *testing.T) {
	sm := newSample()
	killed := killedStore(t, sm)
	entries, err := os.ReadDir(killed)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	step := 3
	if raceDetector {
		step = 24
	}
	for k, e := range entries {
		kinds[strings.TrimLeft(e.Name(), "0123456789")] = true
		data, err := os.ReadFile(filepath.Join(killed, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		used := len(bytes.TrimRight(data, "\x00"))
		for i, h := range harms {
			for j, at := range places(used) {
				if at >= len(data) || (i+j+k)%step != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", e.Name(), h.name, at), func(t *testing.T) {
					dir := fastDir(t)
					copyDir(t, killed, dir)
					writeSparse(t, filepath.Join(dir, e.Name()), h.do(bytes.Clone(data), at))
					openDamaged(t, dir, sm)
				})
			}
		}
	}
	for _, want := range []string{".mem", ".vlog", ".sst", "MANIFEST", "KEYREGISTRY", "DISCARD"} {
		if !kinds[want] {
			t.Errorf("no file %s in the sample, only %v", want, kinds)
		}
	}
}

// places are offsets worth harming in a file of n bytes.
func places(n int) []int {
	seen := map[int]bool{}
	var at []int
	for _, i := range []int{0, 5, 7, 17, 20, 22, 23, n / 3, n / 2, n - 40, n - 9, n - 5, n - 2} {
		if i >= 0 && !seen[i] {
			seen[i] = true
			at = append(at, i)
		}
	}
	return at
}

func openDamaged(t *testing.T, dir string, sm sample) {
	t.Helper()
	s, err := Open(small(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := sm.check(t, s)
	if aside := s.recovered; aside != "" {
		if found > 0 {
			t.Errorf("set aside, and yet %d values found", found)
		}
		if _, err := os.Stat(filepath.Join(aside, "LOCK")); errors.Is(err, fs.ErrNotExist) {
			t.Errorf("nothing in %s: %v", aside, err)
		}
	}
	s.backend.(*diskBackend).collect()
	// The store still works, and new values are kept.
	rest := sample{sm.keys[:10], sm.values[:10]}
	rest.put(t, s, 0, 10)
	mustClose(t, s)
	again := mustOpen(t, small(dir))
	if now := rest.check(t, again); now != 10 || again.recovered != "" {
		t.Errorf("%d of 10 values after opening again; set aside: %q", now, again.recovered)
	}
	mustClose(t, again)
}

// FuzzDirectory overwrites any bytes of any file of a store.
func FuzzDirectory(f *testing.F) {
	sm := newSample()
	killed := killedStore(f, sm)
	entries, err := os.ReadDir(killed)
	if err != nil {
		f.Fatal(err)
	}
	for i := range entries {
		f.Add(uint8(i), uint32(0), []byte{0xff}, false)
		f.Add(uint8(i), uint32(21), []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, false)
		f.Add(uint8(i), uint32(10), []byte{}, true)
	}
	f.Fuzz(func(t *testing.T, file uint8, at uint32, bytes []byte, cut bool) {
		name := entries[int(file)%len(entries)].Name()
		data, err := os.ReadFile(filepath.Join(killed, name))
		if err != nil || len(data) == 0 {
			t.Skip(err)
		}
		at %= uint32(len(data))
		copy(data[at:], bytes)
		if cut {
			data = data[:at]
		}
		dir := fastDir(t)
		copyDir(t, killed, dir)
		writeSparse(t, filepath.Join(dir, name), data)
		openDamaged(t, dir, sm)
	})
}

// FuzzRecord reads any bytes as a record: only what was sealed is one.
func FuzzRecord(f *testing.F) {
	l := newSealer(Secret{})
	n := checkpointName(Key{})
	sound := l.seal(n, time.Unix(1<<31, 0), payload{plainRecord, []byte("payload")})
	f.Add([]byte(nil))
	f.Add(sound)
	f.Add(l.seal(n, time.Unix(1<<31, 0), compress(prose(1, 1000), nil)))
	f.Add(l.seal(n, time.Unix(1<<31, 0), payload{zstdRecord, []byte("payload")}))
	f.Add(sound[:len(sound)-1])
	f.Add(append(bytes.Clone(sound), 0))
	f.Add(make([]byte, headerBytes))
	f.Fuzz(func(t *testing.T, record []byte) {
		p, expires, err := l.open(n, record)
		switch {
		case err == nil && !bytes.Equal(l.seal(n, expires, p), record):
			t.Errorf("%x is believed and reads as %q, %v", record, p.bytes, expires)
		case err != nil && !errors.Is(err, errCorrupt):
			t.Error(err)
		}
		if _, _, err := l.open(originalName("", ""), record); err == nil {
			t.Errorf("%x is believed under another name", record)
		}
	})
}

// When its folder is removed, a store refuses writes instead of losing them, reads on, and closes
// without waiting for Badger, which would try to write its tables for ever.
func TestFolderRemoved(t *testing.T) {
	o := Options{Dir: filepath.Join(t.TempDir(), "store"), Timeout: time.Minute}
	s := mustOpen(t, o)
	key := randomKey()
	if _, err := s.Put(background, []Key{key}, 0, []byte("a form")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		t.Fatal(err)
	}
	_, err := s.Put(background, []Key{randomKey()}, 0, []byte("another"))
	if err == nil || !strings.Contains(err.Error(), "was removed") || s.Stats().Failures != 1 {
		t.Errorf("writing: %v; %d failures", err, s.Stats().Failures)
	}
	found, _, err := s.Find(background, []Key{key}, nil)
	if err != nil || found == nil || string(found.Value) != "a form" {
		t.Errorf("reading: %v, %v", found, err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("closing: %v", err)
	}
	// The process would end here. Badger closes if its directory and its lock are there.
	if err := os.Mkdir(o.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "LOCK"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.backend.(*diskBackend).db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, o))
}
