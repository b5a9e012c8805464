package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// counting counts the look-ups of a backend.
type counting struct {
	*memoryBackend
	lookups int
}

func (c *counting) read(fn func(getter)) {
	c.memoryBackend.read(func(get getter) {
		fn(func(n *name) (entry, error) {
			c.lookups++
			return get(n)
		})
	})
}

// chainOf returns the keys of a conversation of this many messages. Two with the same beginning
// have the first keys in common.
func chainOf(texts ...string) []Key {
	keys := []Key{testKey(nil)}
	for i := range texts {
		keys = append(keys, testKey(fmt.Append(nil, texts[:i+1])))
	}
	return keys
}

func numberedTexts(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprint(i))
	}
	return texts
}

// TestLongestLooksUpWhatIsNew has a conversation of 1,000 messages grow: a turn
// looks up the keys of its new messages, and the checkpoint.
func TestLongestLooksUpWhatIsNew(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true})
	c := &counting{memoryBackend: s.backend.(*memoryBackend)}
	s.backend = c
	keys := chainOf(numberedTexts(1020)...)
	look := func(messages, at, lookups int) {
		t.Helper()
		c.lookups = 0
		_, got, _, err := s.Longest(background, keys[:messages+1])
		if got != at || err != nil || c.lookups != lookups {
			t.Errorf("%d messages: found at %d, %v, by %d look-ups; want at %d by %d",
				messages, got, err, c.lookups, at, lookups)
		}
	}
	look(1000, -1, 1001) // the first turn that this process sees
	look(1002, -1, 3)    // the first key, that of no message, is looked up too
	look(1002, -1, 1)    // sent again
	look(1003, -1, 2)
	if _, err := s.Put(background, keys[:1004], 500, []byte("checkpoint")); err != nil {
		t.Fatal(err)
	}
	look(1004, 500, 2) // that of the new message, and the new checkpoint
	look(1006, 500, 3)
	look(1007, 500, 2)
	look(1001, 500, 1001-500+1) // a turn that is sent again without the later messages
	look(1001, 500, 1)
	if _, err := s.Put(background, keys[:1009], 1008, []byte("checkpoint")); err != nil {
		t.Fatal(err)
	}
	look(1010, 1008, 3)
	if _, err := s.Forget(background, keys[1008:1009], "", nil); err != nil {
		t.Fatal(err)
	}
	look(1012, 500, 2+1+1007-500+1) // after the deleted one
	look(1014, 500, 3)
}

// TestLookupsNeverHideACheckpoint compares with a plain search: conversations that branch,
// checkpoints written and deleted in any order.
func TestLookupsNeverHideACheckpoint(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := mustOpen(t, Options{InMemory: true})
		held := map[Key]bool{}
		branches := [][]string{nil, nil}
		for range 500 {
			b := r.IntN(len(branches))
			switch texts := branches[b]; r.IntN(10) {
			case 0: // another branch, after some message
				branches = append(branches, slices.Clone(texts[:r.IntN(len(texts)+1)]))
			case 1, 2, 3:
				branches[b] = append(texts, fmt.Sprint(r.IntN(3)))
			case 4:
				keys := chainOf(texts...)
				at := r.IntN(len(keys))
				if _, err := s.Put(background, keys, at, []byte("checkpoint")); err != nil {
					t.Fatal(err)
				}
				held[keys[at]] = true
			case 5:
				keys := chainOf(texts...)
				at := r.IntN(len(keys))
				if _, err := s.Forget(background, keys[at:at+1], "", nil); err != nil {
					t.Fatal(err)
				}
				delete(held, keys[at])
			}
			keys := chainOf(branches[b]...)
			keys = keys[:1+r.IntN(len(keys))]
			want := len(keys) - 1
			for want >= 0 && !held[keys[want]] {
				want--
			}
			_, at, _, err := s.Longest(background, keys)
			if at != want || err != nil {
				t.Fatalf("seed %d, %q: found at %d, %v, want %d", seed, branches[b], at, err, want)
			}
		}
	}
}

// TestWhatWasWrittenIsFound writes checkpoints of one conversation while others
// look for them: a look-up after a write has returned finds it.
func TestWhatWasWrittenIsFound(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		keys := chainOf(numberedTexts(200)...)
		var all sync.WaitGroup
		for w := range 4 {
			all.Go(func() {
				for i := 1; i < len(keys); i++ {
					if i%4 == w {
						if _, err := s.Put(background, keys, i, []byte("checkpoint")); err != nil {
							t.Error(err)
						}
					}
					_, at, _, err := s.Longest(background, keys[:i+1])
					if i%4 == w && at != i || err != nil {
						t.Errorf("wrote %d, found %d, %v", i, at, err)
					}
				}
			})
		}
		all.Wait()
		if _, at, _, err := s.Longest(background, keys); at != len(keys)-1 || err != nil {
			t.Errorf("in the end found at %d, %v", at, err)
		}
	})
}

// TestWrittenDuringALookUpIsFound has a checkpoint written after a look-up has begun, which
// does not see it: the next one does.
func TestWrittenDuringALookUpIsFound(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		keys := chainOf("a", "b")
		never := func() error { return nil }
		writes := s.lookups.written(keys).Load()
		s.backend.read(func(get getter) {
			if _, err := s.Put(background, keys, 2, []byte("checkpoint")); err != nil {
				t.Error(err)
			}
			if _, err := s.longest(get, keys, -1, writes, never); err != nil {
				t.Error(err)
			}
		})
		if _, at, _, err := s.Longest(background, keys); at != 2 || err != nil {
			t.Errorf("found at %d, %v, want 2", at, err)
		}
	})
}

// TestUnreadableIsNotRemembered has one look-up fail: the next one looks again.
func TestUnreadableIsNotRemembered(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true})
	keys := chainOf("a", "b")
	if _, err := s.Put(background, keys, 2, []byte("checkpoint")); err != nil {
		t.Fatal(err)
	}
	failing := func(*name) (entry, error) { return entry{}, errCorrupt }
	never := func() error { return nil }
	if h, err := s.longest(failing, keys, -1, 0, never); h.index != -1 || err != nil {
		t.Errorf("found at %d, %v", h.index, err)
	}
	if _, at, _, err := s.Longest(background, keys); at != 2 || err != nil {
		t.Errorf("then found at %d, %v", at, err)
	}
}
