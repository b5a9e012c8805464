package cache

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// discardFile is where Badger counts the garbage in each value log.
const discardFile = "DISCARD"

// TestExpiredSpaceComesBack writes many values that expire immediately and a few that do
// not. GC must free the space and lose nothing.
func TestExpiredSpaceComesBack(t *testing.T) {
	o := small(t.TempDir())
	o.TTL = time.Second
	s := mustOpen(t, o)
	d := s.backend.(*diskBackend)
	const brief = 2000
	for i := range brief {
		err := putOriginal(background, s, "who", fmt.Sprint(i), randomBytes(10_000))
		if err != nil {
			t.Fatal(err)
		}
	}
	s.ttl, d.ttl = time.Hour, time.Hour
	sm := newSample()
	sm.put(t, s, 0, len(sm.keys))
	time.Sleep(1100 * time.Millisecond)

	// Tables are compacted when they are full; closing does the same immediately.
	before := s.Stats().GCRuns // in case writing took longer than the values are kept
	mustClose(t, s)
	s = mustOpen(t, o)
	d = s.backend.(*diskBackend)
	d.collect()
	d.measure()
	const full = brief * 10_000
	if left, runs := d.size(), before+s.Stats().GCRuns; left > full/3 || runs == 0 {
		t.Errorf("%d bytes left of %d after %d runs", left, full, runs)
	}
	if n := sm.check(t, s); n != len(sm.keys) {
		t.Errorf("%d of %d living values left", n, len(sm.keys))
	}
}

// openForMoving opens a closed store with statistics that make GC rewrite every log. Opening
// creates them in place of damaged ones.
func openForMoving(t *testing.T, o Options) (*Store, *diskBackend) {
	t.Helper()
	path := filepath.Join(o.Dir, discardFile)
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, o)
	return s, s.backend.(*diskBackend)
}

// TestReadsWhileMoved has GC rewrite every log between the look-up and the reading of a
// value, then during other reads: a value that GC moves is never taken for damaged.
func TestReadsWhileMoved(t *testing.T) {
	o := small(t.TempDir())
	s := mustOpen(t, o)
	const refs = 600
	content := randomBytes(20_000)
	for i := range refs {
		if err := putOriginal(background, s, "who", fmt.Sprint(i), content); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)

	s, d := openForMoving(t, o)
	n := originalName("who", "0")
	txn := d.db.NewTransaction(false)
	record, _, err := lookUp(func(key []byte) (*badger.Item, error) {
		item, err := txn.Get(key)
		d.collect()
		return item, err
	}, &n)
	txn.Discard()
	if p, _, openErr := s.sealer.open(n, record); !bytes.Equal(p.bytes, content) {
		t.Errorf("moved in between: %d bytes, %v, %v", len(p.bytes), err, openErr)
	}
	if runs := s.Stats().GCRuns; runs < 10 {
		t.Errorf("only %d logs rewritten", runs)
	}
	mustClose(t, s)

	s, d = openForMoving(t, o)
	var done atomic.Bool
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := w; !done.Load(); i++ {
				got, err := s.Original(background, "who", fmt.Sprint(i%refs))
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("original %d: %d bytes, %v", i%refs, len(got), err)
					return
				}
			}
		})
	}
	d.collect()
	done.Store(true)
	all.Wait()
	if n := s.Stats(); n.GCRuns < 10 || n.Corrupt != 0 || n.Failures != 0 {
		t.Errorf("%+v", n)
	}
}

// TestDiscardStatisticsDamaged has GC run with statistics that would put Badger into an
// endless loop.
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
			dir := fastDir(t)
			copyDir(t, killed, dir)
			path := filepath.Join(dir, discardFile)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if name != "odd" && name != "cut" {
				if err := os.Truncate(path, 1<<20); err != nil {
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
