package cache

import (
	"errors"
	"testing"
)

// Several originals are written at once. One that is too large does not affect the others.
func TestPutOriginals(t *testing.T) {
	for _, o := range []Options{{InMemory: true}, {Dir: t.TempDir() + "/store"}} {
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		err = s.PutOriginals(background, "who", []Original{
			{"a", []byte("first")}, {"b", make([]byte, MaxValueBytes+1)},
			{"c", []byte("third")}, {"a", []byte("first")}})
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("got %v, want %v", err, ErrTooLarge)
		}
		for ref, want := range map[string]string{"a": "first", "c": "third"} {
			if got, err := s.Original(background, "who", ref); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", ref, got, err)
			}
		}
		if _, err := s.Original(background, "who", "b"); !errors.Is(err, ErrNotFound) {
			t.Errorf("the one too large: %v", err)
		}
		if n := s.Stats().OriginalPuts; n != 2 {
			t.Errorf("%d were written, want 2", n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		err = s.PutOriginals(background, "who", []Original{{"d", []byte("late")}})
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}
