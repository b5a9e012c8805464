package cache

import (
	"errors"
	"testing"

	"killick/internal/chattest"
)

// The latest value of each conversation is kept until its owner's data is deleted.
func TestLastSeen(t *testing.T) {
	for _, o := range []Options{{InMemory: true}, {Dir: t.TempDir() + "/store"}} {
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		secret := NewSecret()
		key := func(who string) Key {
			hi := chattest.Messages(t, `{"role":"user","content":"Hi"}`)
			return secret.Chain(Scope{Who: who}, hi)[1]
		}
		want := func(who, value string) {
			t.Helper()
			if got, err := s.LastSeen(background, key(who)); err != nil || string(got) != value {
				t.Errorf("%s was last seen %q, %v, want %q", who, got, err, value)
			}
		}
		want("ann", "")
		for who, values := range map[string][]string{"ann": {"one", "two"}, "bob": {"three"}} {
			for _, value := range values {
				if err := s.PutLastSeen(background, key(who), []byte(value)); err != nil {
					t.Fatal(err)
				}
			}
		}
		want("ann", "two")
		want("bob", "three")
		if _, err := s.ForgetOwner(background, "ann"); err != nil {
			t.Fatal(err)
		}
		want("ann", "")
		want("bob", "three")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.PutLastSeen(background, key("ann"), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}
