package cache

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// TestFindReadsOnce finds the same checkpoint at every turn of a conversation. It is read at the
// first turn, and again after anything that may change the result or its expiry.
func TestFindReadsOnce(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := mustOpen(t, Options{
		InMemory: true, TTL: time.Hour, Clock: func() time.Time { return now },
	})
	c := &counting{memoryBackend: s.backend.(*memoryBackend)}
	s.backend = c
	keys := chainOf(numberedTexts(60)...)
	put := func(messages, at int) {
		t.Helper()
		if _, err := s.Put(background, keys[:messages+1], at, []byte("checkpoint")); err != nil {
			t.Fatal(err)
		}
	}
	put(20, 10)
	var before *Found
	find := func(messages, at, lookups int, renewed, same bool) {
		t.Helper()
		c.lookups = 0
		found, due, err := s.Find(background, keys[:messages+1], before)
		switch {
		case err != nil:
			t.Fatal(err)
		case at < 0 && found == nil:
		case found == nil || found.Index != at || string(found.Value) != "checkpoint":
			t.Fatalf("%d messages: found %+v, want one at %d", messages, found, at)
		}
		if c.lookups != lookups || due != renewed || (found == before) != same {
			t.Errorf("%d messages: %d look-ups, renewed %t, the same %t; want %d, %t, %t",
				messages, c.lookups, due, found == before, lookups, renewed, same)
		}
		before = found
	}
	find(20, 10, 11, false, false)
	find(20, 10, 0, false, true)
	find(22, 10, 2, false, true) // the keys of the new messages
	find(23, 10, 1, false, true)
	put(24, 24)
	find(26, 24, 3, false, false)
	find(28, 24, 2, false, true)
	now = now.Add(40 * time.Minute)
	find(30, 24, 3, true, false)
	find(32, 24, 3, false, false) // as it was renewed
	find(34, 24, 2, false, true)
	if _, err := s.Forget(background, keys[24:25], "", nil); err != nil {
		t.Fatal(err)
	}
	now = now.Add(-40 * time.Minute)
	find(36, 10, 2+1+1+13, false, false)
	if _, err := s.ForgetAll(background); err != nil {
		t.Fatal(err)
	}
	find(38, -1, 2+1+10, false, false)
}

// TestFindKnowsWhatReplaceStored looks up the keys of new messages after a checkpoint was stored,
// and nothing else: neither the checkpoint nor the keys after it. Another write or a deletion since
// makes it read the checkpoint again.
func TestFindKnowsWhatReplaceStored(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true})
	c := &counting{memoryBackend: s.backend.(*memoryBackend)}
	s.backend = c
	keys := chainOf(numberedTexts(60)...)
	put := func(messages, at int) *Found {
		t.Helper()
		stored, err := s.Replace(background, keys[:messages+1], at, -1, fmt.Append(nil, at))
		if err != nil || stored.Index != at || string(stored.Value) != fmt.Sprint(at) {
			t.Fatalf("stored %+v, %v", stored, err)
		}
		return stored
	}
	find := func(messages int, before *Found, at, lookups int) {
		t.Helper()
		c.lookups = 0
		found, _, err := s.Find(background, keys[:messages+1], before)
		if err != nil || found == nil || found.Index != at ||
			string(found.Value) != fmt.Sprint(at) || c.lookups != lookups {
			t.Errorf("%d messages: found %+v, %v, by %d look-ups; want one at %d by %d",
				messages, found, err, c.lookups, at, lookups)
		}
	}
	if found, _, err := s.Find(background, keys[:31], nil); found != nil || err != nil {
		t.Fatal(found, err)
	}
	stored := put(30, 10)
	find(30, stored, 10, 0)
	find(32, stored, 10, 2)
	put(32, 5) // does not hide the later one
	find(32, stored, 10, 1)
	stored = put(32, 20)
	if again := put(32, 20); again.Value == nil { // another request was first
		t.Error(again)
	}
	find(34, stored, 20, 3)
	stored = put(34, 30)
	if _, err := s.Forget(background, keys[30:31], "", nil); err != nil {
		t.Fatal(err)
	}
	find(34, stored, 20, 11)
}

// TestStoredOnDiskIsKnown finds the very checkpoint that was stored, in a store on disk.
func TestStoredOnDiskIsKnown(t *testing.T) {
	s := mustOpen(t, Options{Dir: fastDir(t)})
	keys := chainOf(numberedTexts(30)...)
	stored, err := s.Replace(background, keys[:21], 10, -1, []byte("form"))
	if err != nil {
		t.Fatal(err)
	}
	found, renewed, err := s.Find(background, keys[:23], stored)
	if found != stored || renewed || err != nil {
		t.Errorf("found %+v, renewed %t, %v; want %+v", found, renewed, err, stored)
	}
}

// TestFindSeesWhatAnotherProcessLeft finds checkpoints of later messages that an earlier process
// wrote, although this process wrote nothing.
func TestFindSeesWhatAnotherProcessLeft(t *testing.T) {
	o := Options{Dir: fastDir(t)}
	s := mustOpen(t, o)
	keys := chainOf(numberedTexts(30)...)
	for _, at := range []int{10, 20} {
		if _, err := s.Put(background, keys[:at+1], at, []byte{byte(at)}); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	s = mustOpen(t, o)
	first, _, err := s.Find(background, keys[:16], nil)
	if err != nil || first == nil || first.Index != 10 {
		t.Fatalf("found %+v, %v", first, err)
	}
	if found, _, err := s.Find(background, keys[:26], first); err != nil || found.Index != 20 ||
		!bytes.Equal(found.Value, []byte{20}) {
		t.Errorf("found %+v, %v", found, err)
	}
}
