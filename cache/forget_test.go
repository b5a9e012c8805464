package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"killick/internal/chattest"
)

// ownedBy is a value that names its owner, short enough for a table or long enough
// for a value log.
func ownedBy(who string, i int) []byte {
	return append(fmt.Appendf(nil, "%s said %d;", who, i), noise(i, i%3*2000)...)
}

// keep stores checkpoints and originals of who, and returns their keys.
func keep(t *testing.T, s *Store, who string, n int) (keys []Key) {
	t.Helper()
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(`{"role":"user","content":"%d"}`, i)
	}
	keys = NewSecret().Chain(Scope{Who: who}, chattest.Messages(t, texts...))
	for i := 1; i < len(keys); i++ {
		if _, err := s.Put(background, []Key{keys[i]}, 0, ownedBy(who, i)); err != nil {
			t.Fatal(err)
		}
		if err := putOriginal(background, s, who, fmt.Sprint(i), ownedBy(who, i)); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// has counts the checkpoints and originals that are found.
func has(t *testing.T, s *Store, who string, keys []Key) (n int) {
	t.Helper()
	for i := 1; i < len(keys); i++ {
		if _, at, _, err := s.Longest(background, keys[i:i+1]); err != nil {
			t.Fatal(err)
		} else if at == 0 {
			n++
		}
		if _, err := s.Original(background, who, fmt.Sprint(i)); err == nil {
			n++
		} else if !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
	}
	return n
}

func TestForget(t *testing.T) {
	for _, memory := range []bool{true, false} {
		t.Run(map[bool]string{true: "memory", false: "disk"}[memory], func(t *testing.T) {
			o := small(t.TempDir())
			o.InMemory = memory
			s := mustOpen(t, o)
			defer mustClose(t, s)
			const n = 20
			ann, bob := keep(t, s, "ann", n), keep(t, s, "bob", n)
			want := func(what string, forAnn, forBob int) {
				t.Helper()
				a, b := has(t, s, "ann", ann), has(t, s, "bob", bob)
				if a != forAnn || b != forBob {
					t.Errorf("%s: ann has %d records and bob %d, want %d and %d",
						what, a, b, forAnn, forBob)
				}
			}
			want("before", 2*n, 2*n)
			forget := func(want int, got int, err error) {
				t.Helper()
				if err != nil || got != want {
					t.Errorf("forgot %d, %v, want %d", got, err, want)
				}
			}
			got, err := s.Forget(background, ann[1:6], "ann", []string{"1", "2", "none"})
			forget(7, got, err)
			want("one conversation of ann's", 2*n-7, 2*n)
			// Another's refs and nobody's: nothing happens.
			got, err = s.Forget(background, nil, "carl", []string{"3"})
			forget(0, got, err)
			got, err = s.ForgetOwner(background, "an")
			forget(0, got, err)
			got, err = s.ForgetOwner(background, "ann")
			forget(2*n-7, got, err)
			want("all of ann's", 0, 2*n)
			// Deleted records may be written again.
			if _, err := s.Put(background, []Key{ann[1]}, 0, ownedBy("ann", 1)); err != nil {
				t.Fatal(err)
			}
			want("learned again", 1, 2*n)
			got, err = s.ForgetAll(background)
			forget(2*n+1, got, err)
			want("everything", 0, 0)
			if s.Stats().Deleted != 4*n+1 {
				t.Errorf("counted %d as deleted, want %d", s.Stats().Deleted, 4*n+1)
			}
		})
	}
}

// TestDeletedBytesLeaveTheDisk searches the files. Short values are removed within the
// call; those in a value log, when the log is complete.
func TestDeletedBytesLeaveTheDisk(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(map[bool]string{false: "closed", true: "killed"}[kill], func(t *testing.T) {
			o := small(t.TempDir())
			s := mustOpen(t, o)
			ann, bob := keep(t, s, "ann", 30), keep(t, s, "bob", 30)
			if len(holding(t, o.Dir, "ann said 3;")) == 0 ||
				len(holding(t, o.Dir, "ann said 5;")) == 0 {
				t.Fatal("the search finds nothing in the first place")
			}
			if n, err := s.ForgetOwner(background, "ann"); err != nil || n != 60 {
				t.Fatalf("forgot %d, %v", n, err)
			}
			if left := holding(t, o.Dir, "ann said 3;"); len(left) > 0 { // short ones
				t.Errorf("right away: in %q", left)
			}
			if kill { // the counts of garbage in each log are lost
				dir := t.TempDir()
				copyDir(t, o.Dir, dir)
				mustClose(t, s)
				o.Dir = dir
				if err := os.Truncate(filepath.Join(o.Dir, discardFile), 0); err != nil {
					t.Fatal(err)
				}
			} else {
				mustClose(t, s)
			}
			s = mustOpen(t, o)
			defer mustClose(t, s)
			var left []string
			for end := time.Now().Add(time.Minute); time.Now().Before(end); {
				if left = holding(t, o.Dir, "ann said"); len(left) == 0 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if len(left) > 0 {
				t.Errorf("after a restart: in %q", left)
			}
			if n := has(t, s, "ann", ann); n != 0 {
				t.Errorf("%d records of ann's are back", n)
			}
			if n := has(t, s, "bob", bob); n != 60 {
				t.Errorf("%d of bob's 60 records left", n)
			}
		})
	}
}
