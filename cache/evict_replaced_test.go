package cache

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestReplacedFormsGoFirst fills a store several times over with the forms of one conversation,
// each of which replaces the previous one, among originals that the last form refers to and forms
// of other conversations: only replaced forms are evicted, whatever their age.
func TestReplacedFormsGoFirst(t *testing.T) {
	skipBadgersRace(t)
	s := mustOpen(t, limited(t))
	const size, forms, every = 100_000, 3 * MinMaxBytes / 100_000, 20
	keys := chainOf(numberedTexts(forms)...)
	value := func(i int) []byte { return noise(i, size) }
	for i := range forms {
		if i%every == 0 {
			evenAtLimit(t, func() error {
				return putOriginal(background, s, "who", fmt.Sprint(i), value(-i))
			})
			evenAtLimit(t, func() error {
				other := []Key{testKey(fmt.Append(nil, "other", i))}
				_, err := s.Put(background, other, 0, value(i))
				return err
			})
		}
		evenAtLimit(t, func() error {
			_, err := s.Replace(background, keys[:i+1], i, i-1, value(i))
			return err
		})
	}
	n := s.Stats()
	if n.EvictedOriginals != 0 || n.EvictedCheckpoints < forms/2 || n.Corrupt != 0 {
		t.Errorf("%+v", n)
	}
	for i := 0; i < forms; i += every {
		got, err := s.Original(background, "who", fmt.Sprint(i))
		if err != nil || !bytes.Equal(got, value(-i)) {
			t.Errorf("original %d: %d other bytes, %v", i, len(got), err)
		}
		got, _, _, err = s.Longest(background, []Key{testKey(fmt.Append(nil, "other", i))})
		if err != nil || !bytes.Equal(got, value(i)) {
			t.Errorf("the form of conversation %d: %d other bytes, %v", i, len(got), err)
		}
	}
	got, at, _, err := s.Longest(background, keys)
	if err != nil || at != forms-1 || !bytes.Equal(got, value(forms-1)) {
		t.Errorf("the last form: found at %d, %d bytes, %v", at, len(got), err)
	}
	if _, err := s.Checkpoint(background, "", keys[0]); err == nil {
		t.Error("a form is given to others")
	}
	if _, at, _, _ := s.Longest(background, keys[:2]); at >= 0 {
		t.Error("the first form, replaced long ago, is still there")
	}
}

// TestReplacedFormInUseIsRenewed uses a form that was replaced, as a branch of its conversation
// does: it is written again and evicted by its age alone, also after a crash.
func TestReplacedFormInUseIsRenewed(t *testing.T) {
	o := Options{Dir: fastDir(t)}
	s := mustOpen(t, o)
	keys := chainOf(numberedTexts(3)...)
	for at := 1; at <= 3; at++ {
		if _, err := s.Replace(background, keys[:at+1], at, at-1, []byte("form")); err != nil {
			t.Fatal(err)
		}
	}
	condemned := func(want ...bool) {
		t.Helper()
		d := s.backend.(*diskBackend)
		for i, want := range want {
			n := checkpointName(keys[i+1])
			txn := d.db.NewTransaction(false)
			replacedThere := replaced(txn, &n)
			txn.Discard()
			if replacedThere != want {
				t.Errorf("form %d is recorded as replaced: %t, want %t", i+1, replacedThere, want)
			}
		}
	}
	condemned(true, true, false)
	mustClose(t, s)
	s = mustOpen(t, o)
	condemned(true, true, false)
	branch := slices.Concat(keys[:2], []Key{testKey([]byte("branch"))})
	if _, at, due, err := s.Longest(background, branch); at != 1 || !due || err != nil {
		t.Errorf("found at %d, due %t, %v", at, due, err)
	}
	waitFor(t, func() bool { return s.Stats().Renewals == 1 })
	condemned(false, true, false)
	if _, at, due, err := s.Longest(background, branch); at != 1 || due || err != nil {
		t.Errorf("found at %d, due %t, %v", at, due, err)
	}
	if n, err := s.Forget(background, keys[2:3], "", nil); n != 1 || err != nil {
		t.Errorf("forgot %d records, %v", n, err)
	}
	condemned(false, false, false)
}

// TestEvictionUnderWrites evicts while others write, replace, renew and read: what was written
// last is found. Nothing is collected meanwhile, since that races within Badger (skipBadgersRace);
// so this runs under the race detector too.
func TestEvictionUnderWrites(t *testing.T) {
	s := mustOpen(t, Options{Dir: fastDir(t), Timeout: time.Minute})
	d := s.backend.(*diskBackend)
	const writers, forms = 4, 150
	var all sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		all.Go(func() {
			keys := chainOf(fmt.Sprint("writer", w))
			for i := range forms {
				keys = append(keys, testKey(fmt.Append(nil, w, ",", i)))
				at := len(keys) - 1
				value := noise(w*forms+i, 2000)
				if _, err := s.Replace(background, keys, at, at-1, value); err != nil {
					t.Error(err)
				}
				ref := fmt.Sprint(w, i)
				if err := putOriginal(background, s, "who", ref, value); err != nil {
					t.Error(err)
				}
				found, _, err := s.Find(background, keys, nil)
				if err != nil || found == nil || found.Index != at ||
					!bytes.Equal(found.Value, value) {
					t.Errorf("writer %d: the form just written, %d, was not found: %v", w, at, err)
				}
				_, _, _ = s.Find(background, keys[:at], nil) // renews the previous one, if any
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for evicting := true; evicting; {
		select {
		case <-done:
			evicting = false
		default:
		}
		before, _ := d.takeInventory().replaced.all(20_000)
		if _, err := d.evict(before, 0); err != nil {
			t.Error(err)
		}
	}
	if n := s.Stats(); n.EvictedCheckpoints == 0 || n.EvictedOriginals != 0 || n.Corrupt != 0 {
		t.Errorf("%+v", n)
	}
}
