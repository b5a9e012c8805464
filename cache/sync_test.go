package cache

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// The logs are synced after checkpoints were written, once for many.
func TestWritesAreSynced(t *testing.T) {
	s := mustOpen(t, Options{Dir: t.TempDir(), Timeout: time.Minute})
	d := s.backend.(*diskBackend)
	const writes = 100
	for range writes {
		putAny(t, s)
	}
	waitFor(t, func() bool { return d.synced.Load() > 0 })
	if n := d.synced.Load(); n > writes/2 {
		t.Errorf("%d syncs for %d writes", n, writes)
	}
}

func putAny(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Put(background, []Key{randomKey()}, 0, []byte("a form")); err != nil {
		t.Fatal(err)
	}
}

// openSyncing opens a store whose logs are synced by sync.
func openSyncing(t *testing.T, log *slog.Logger, sync func() error) (*Store, *diskBackend) {
	t.Helper()
	o := Options{Dir: t.TempDir(), Timeout: time.Minute, Logger: log}
	o.syncAfter = time.Millisecond
	s := mustOpen(t, o)
	d := s.backend.(*diskBackend)
	d.syncLogs = sync // read after the first write
	return s, d
}

// Syncs that fail, or panic, are counted and logged once, and so is that they work again.
func TestSyncFails(t *testing.T) {
	var logged bytes.Buffer // written by one goroutine, read when it has ended
	results := make(chan func() error)
	s, _ := openSyncing(t, slog.New(slog.NewTextHandler(&logged, nil)),
		func() error { return (<-results)() })
	fail := func() error { return errors.New("input/output error") }
	for _, result := range []func() error{
		fail, fail, func() error { panic("fault") }, func() error { return nil }, fail,
	} {
		putAny(t, s)
		results <- result
	}
	waitFor(t, func() bool { return s.Stats().Failures == 4 })
	mustClose(t, s) // waits for the goroutine that logs
	text := logged.String()
	if strings.Count(text, "cannot be synced") != 2 ||
		strings.Count(text, "input/output error") != 2 ||
		strings.Count(text, "synced again") != 1 {
		t.Errorf("logged:\n%s", text)
	}
}

// While a slow disk syncs, the store is used and maintained; closing waits for the sync.
func TestSlowSync(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	ended := false
	s, d := openSyncing(t, nil, func() error {
		close(began)
		<-end
		ended = true
		return nil
	})
	putAny(t, s)
	<-began
	putAny(t, s)
	d.touched.Store(1)
	d.trim <- struct{}{} // taken by maintain alone
	d.trim <- struct{}{}
	d.trim <- struct{}{}

	closed := make(chan error)
	go func() { closed <- s.Close() }()
	<-d.stop
	close(end)
	if err := <-closed; err != nil || !ended {
		t.Errorf("closed with %v; the sync had ended: %v", err, ended)
	}
}
