package cache

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestExpiredSpaceComesBack writes much that expires at once and a little that
// does not. GC must give the space back and lose nothing.
func TestExpiredSpaceComesBack(t *testing.T) {
	o := small(t.TempDir())
	o.TTL = time.Second
	s := mustOpen(t, o)
	d := s.backend.(*diskBackend)
	const brief = 2000
	for i := range brief {
		if err := s.PutOriginal(background, "who", fmt.Sprint(i), randomBytes(10_000)); err != nil {
			t.Fatal(err)
		}
	}
	s.ttl, d.ttl = time.Hour, time.Hour
	sm := newSample()
	sm.put(t, s, 0, len(sm.keys))
	d.measure()
	full := d.size()
	if full < brief*10_000 {
		t.Fatalf("%d bytes on disk for %d", full, brief*10_000)
	}
	time.Sleep(1100 * time.Millisecond)

	// Tables are compacted as they fill; closing does the same at once.
	mustClose(t, s)
	s = mustOpen(t, o)
	d = s.backend.(*diskBackend)
	d.collect()
	d.measure()
	if left := d.size(); left > full/3 || s.Stats().GCRuns == 0 {
		t.Errorf("%d bytes left of %d after %d runs", left, full, s.Stats().GCRuns)
	}
	if n := sm.check(t, s); n != len(sm.keys) {
		t.Errorf("%d of %d living values left", n, len(sm.keys))
	}
}

// TestCollectsWhileUsed runs GC as fast as it can while others write, read and
// let values expire: a moved value is never taken for a damaged one.
func TestCollectsWhileUsed(t *testing.T) {
	o := small(t.TempDir())
	o.gcEvery = time.Millisecond
	o.TTL = 2 * time.Second
	s := mustOpen(t, o)
	keep := randomBytes(5000)
	until := time.Now().Add(3 * time.Second)
	for i := 0; time.Now().Before(until); i++ {
		key, value := numbered(i % 4000)
		stored, err := s.Put(background, key, value)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(stored, value) {
			t.Fatalf("value %d is another", i)
		}
		if err := s.PutOriginal(background, "who", "ref", keep); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Original(background, "who", "ref"); err != nil || !bytes.Equal(got, keep) {
			t.Fatalf("the original is %d bytes, %v", len(got), err)
		}
	}
	if n := s.Stats(); n.Corrupt != 0 || n.Failures != 0 {
		t.Errorf("%+v", n)
	}
}

// TestDiscardStatisticsDamaged has GC run on statistics that Badger would follow
// without end.
func TestDiscardStatisticsDamaged(t *testing.T) {
	sm := newSample()
	killed := killedStore(t, sm)
	entry := func(id byte, high byte) []byte { // of 16 bytes: a log's number, bytes to discard
		e := make([]byte, 16)
		e[0], e[7], e[12] = high, id, 1
		return e
	}
	for name, data := range map[string][]byte{
		"number too great": entry(99, 1),
		"twice":            append(entry(99, 0), entry(99, 0)...),
		"cut":              nil,
		"odd":              entry(1, 0)[:9],
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			copyDir(t, killed, dir)
			path := filepath.Join(dir, discardFile)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if name != "odd" && name != "cut" {
				if err := os.Truncate(path, discardBytes); err != nil {
					t.Fatal(err)
				}
			}
			s := mustOpen(t, small(dir))
			s.backend.(*diskBackend).collect()
			if n := sm.check(t, s); n != len(sm.keys) {
				t.Errorf("%d of %d values", n, len(sm.keys))
			}
			mustClose(t, s)
		})
	}
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}
