package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestClosed(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		mustClose(t, s)
		mustClose(t, s)
		_, at, _, err := s.Longest(background, []Key{{}})
		if !errors.Is(err, ErrClosed) || at != -1 {
			t.Errorf("Longest: index %d, %v", at, err)
		}
		if _, err := s.Put(background, []Key{Key{}}, 0, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Put: %v", err)
		}
		s.Stats()
	})
}

// TestCloseUnderLoad closes while others read and write: they get an answer or
// ErrClosed.
func TestCloseUnderLoad(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		var all sync.WaitGroup
		var calls atomic.Int64
		for w := range 8 {
			all.Go(func() {
				for i := 0; ; i++ {
					key, value := numbered(i*8 + w)
					_, err := s.Put(background, []Key{key}, 0, value)
					if err == nil {
						_, _, _, err = s.Longest(background, []Key{key})
					}
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					calls.Add(1)
				}
			})
		}
		waitFor(t, func() bool { return calls.Load() > 100 })
		mustClose(t, s)
		all.Wait()
	})
}

// hung is a backend on a disk that does not answer.
type hung struct {
	*memoryBackend
	until chan struct{}
}

func (h hung) read(func(getter)) { <-h.until }
func (h hung) claim([]*claim) error {
	<-h.until
	return nil
}

func TestHungDisk(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true, tuning: tuning{closeTimeout: 20 * time.Millisecond}})
	until := make(chan struct{})
	s.backend, s.timeout = hung{newMemory(1<<20, new(counters)), until}, 20*time.Millisecond

	for range maxCalls + 10 { // more than may hang at once
		if _, _, _, err := s.Longest(background, []Key{{}}); !errors.Is(err, ErrTimeout) {
			t.Fatalf("Longest: %v, want ErrTimeout", err)
		}
	}
	if _, err := s.Put(background, []Key{Key{}}, 0, nil); !errors.Is(err, ErrTimeout) {
		t.Errorf("Put: %v, want ErrTimeout", err)
	}
	gone, cancel := context.WithCancel(background)
	cancel()
	if _, err := s.Original(gone, "", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Original for a client that left: %v", err)
	}
	if n := s.Stats().Failures; n != maxCalls+11 {
		t.Errorf("%d failures counted, want %d: not the client's leaving", n, maxCalls+11)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "still busy") {
		t.Errorf("Close: %v", err)
	}
	close(until)
	waitFor(t, func() bool { return len(s.slots) == 0 })
}

// While a disk hangs, one call waits for the whole time-out, and later ones only briefly: a request
// makes several. Once the disk answers, they wait for it again.
func TestHungDiskIsWaitedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, Options{InMemory: true})
		until := make(chan struct{})
		s.backend, s.timeout = hung{newMemory(1<<20, new(counters)), until}, 2*time.Second
		wait := func() time.Duration {
			start := time.Now()
			if _, err := s.Put(background, []Key{{}}, 0, nil); !errors.Is(err, ErrTimeout) {
				t.Errorf("Put: %v, want ErrTimeout", err)
			}
			return time.Since(start)
		}
		if took := wait(); took != s.timeout {
			t.Errorf("the first call waited %v, want %v", took, s.timeout)
		}
		for range 10 {
			if took := wait(); took != whileHung {
				t.Errorf("a later call waited %v, want %v", took, whileHung)
			}
		}
		close(until)
		synctest.Wait()
		s.backend = hung{newMemory(1<<20, new(counters)), make(chan struct{})}
		if took := wait(); took != s.timeout {
			t.Errorf("a call after that waited %v, want %v", took, s.timeout)
		}
		close(s.backend.(hung).until)
		synctest.Wait()
		mustClose(t, s)
	})
}

// panicky is a backend whose every call panics with a value in it.
type panicky struct{ *memoryBackend }

func (panicky) read(func(getter)) { panic("content") }
func (panicky) claim([]*claim) error {
	var none []int
	return fmt.Errorf("%d", none[3])
}

func TestPanicsAreContained(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Second} {
		s := mustOpen(t, Options{InMemory: true})
		s.backend, s.timeout = panicky{newMemory(1<<20, new(counters))}, timeout
		_, _, _, err := s.Longest(background, []Key{{}})
		if err == nil || strings.Contains(err.Error(), "content") {
			t.Errorf("Longest: %v", err)
		}
		_, err = s.Put(background, []Key{Key{}}, 0, nil)
		if err == nil || !strings.Contains(err.Error(), "index out of range") {
			t.Errorf("Put: %v", err)
		}
		if n := s.Stats().Failures; n != 2 {
			t.Errorf("%d failures counted, want 2", n)
		}
	}
}

// late is a backend that answers after the time-out.
type late struct{ *memoryBackend }

func (late) claim(list []*claim) error {
	time.Sleep(20 * time.Millisecond)
	list[0].err = ErrTooLarge
	return nil
}

// A claim belongs to the call that writes it: after the time-out, nobody else reads it. (With the
// race detector.)
func TestALateWriteIsNotRead(t *testing.T) {
	s := mustOpen(t, Options{InMemory: true})
	s.backend, s.timeout = late{newMemory(1<<20, new(counters))}, time.Millisecond
	if err := s.Adopt(background, []Key{{}}, 0, -1, nil); !errors.Is(err, ErrTimeout) {
		t.Errorf("Adopt: %v, want ErrTimeout", err)
	}
	if err := s.PutLastSeen(background, Key{}, nil); !errors.Is(err, ErrTimeout) {
		t.Errorf("PutLastSeen: %v, want ErrTimeout", err)
	}
	waitFor(t, func() bool { return len(s.slots) == 0 })
}
