package cache

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSyncsAreShared has many writers ask for a sync at once: each must return after a
// sync that began after its request, and there are few syncs.
func TestSyncsAreShared(t *testing.T) {
	var g syncGroup
	var running, begun, ended atomic.Int64
	sync1 := func() error {
		if running.Add(1) > 1 {
			t.Error("two syncs at once")
		}
		begun.Add(1)
		time.Sleep(2 * time.Millisecond)
		ended.Add(1)
		running.Add(-1)
		return nil
	}
	const writers = 100
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			asked := begun.Load()
			if err := g.do(sync1); err != nil {
				t.Error(err)
			}
			if ended.Load() <= asked {
				t.Error("returned before a sync that began afterwards had ended")
			}
		})
	}
	all.Wait()
	if n := begun.Load(); n >= writers/2 {
		t.Errorf("%d syncs for %d writers", n, writers)
	}
	failed := errors.New("failed")
	if err := g.do(func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if err := g.do(sync1); err != nil {
		t.Errorf("after a failure: %v", err)
	}
}

// TestSyncPanics has a sync panic: callers that wait for it get an error, and the next
// sync works.
func TestSyncPanics(t *testing.T) {
	var g syncGroup
	func() {
		defer func() { _ = recover() }()
		_ = g.do(func() error { panic("no") })
	}()
	if err := g.do(func() error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestBadgerLogger(t *testing.T) {
	var out bytes.Buffer
	debug := &slog.HandlerOptions{Level: slog.LevelDebug}
	l := badgerLogger{slog.New(slog.NewTextHandler(&out, debug))}
	l.Errorf("a value: %s", strings.Repeat("secret", 1000))
	l.Debugf("%s", "of every write")
	text := out.String()
	if strings.Count(text, " level=") != 1 || !strings.Contains(text, " badger_level=error ") {
		t.Errorf("a line has one level, and not also Badger's: %.100s", text)
	}
	if len(text) > 500 || !strings.Contains(text, "level=DEBUG") ||
		strings.Contains(text, "of every") {
		t.Errorf("logged %d bytes: %.600s", len(text), text)
	}
	out.Reset()
	l.Infof("a line of its own\n")
	if text := out.String(); !strings.Contains(text, `message="a line of its own"`) {
		t.Errorf("logged %s", text)
	}
	out.Reset()
	l = badgerLogger{slog.New(slog.NewTextHandler(&out, nil))}
	l.Errorf("an error")
	if out.Len() > 0 {
		t.Errorf("logged %s at a level above debug", &out)
	}
}
