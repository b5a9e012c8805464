package shared

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	redisserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"killick/cache"
)

// eventually waits until a condition is met in the background.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s never happened", what)
}

// back starts a server again and waits until replicas use it.
func back(t *testing.T, server *miniredis.Miniredis, replicas ...*replica) {
	t.Helper()
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	for _, r := range replicas {
		eventually(t, "the use of the store", r.client.health.isUp)
	}
}

// A server that became a replica is down until it accepts writes again, and the log says so once.
func TestReadOnlyServer(t *testing.T) {
	server := miniredis.RunT(t)
	var logged logBuffer
	r := start(t, server, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	})
	msgs := talk(t, 20, "hello")
	r.put(t, "ann", msgs[:4], 2, -1, "one")
	var asked atomic.Int32
	server.Server().SetPreHook(func(c *redisserver.Peer, name string, _ ...string) bool {
		switch name {
		case "UNLINK", "SET", "SETNX", "XADD", "PEXPIRE", "EVALSHA", "EVAL":
			asked.Add(1)
			c.WriteError("READONLY You can't write against a read only replica.")
			return true
		}
		return false
	})
	r.put(t, "ann", msgs[:8], 6, 2, "two")
	before := asked.Load()
	eventually(t, "another check of the store", func() bool { return asked.Load() > before+3 })
	if text := logged.String(); r.client.health.isUp() || strings.Count(text, "READONLY") != 1 ||
		strings.Contains(text, `msg="the shared store answers"`) ||
		!strings.Contains(text, "set cache.url to the one that accepts writes") {
		t.Errorf("up: %v, logged:\n%s", r.client.health.isUp(), text)
	}
	server.Server().SetPreHook(nil)
	eventually(t, "the use of the store", r.client.health.isUp)
}

// logBuffer is a buffer that the tested goroutines write to.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Forms made while the store is down are kept locally, and shared when the conversation continues.
func TestOutage(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 40, "hello")
	a.put(t, "ann", msgs[:10], 6, -1, "one")
	if got, _ := b.find(t, "ann", msgs[:12]); got != "one" {
		t.Fatalf("found %q", got)
	}
	server.Close()
	for _, r := range []*replica{a, b} { // forms that were read are still found
		if got, at := r.find(t, "ann", msgs[:14]); got != "one" || at != 6 {
			t.Errorf("without the store: found %q at %d", got, at)
		}
	}
	if got := a.put(t, "ann", msgs[:16], 12, 6, "two"); got != "two" {
		t.Errorf("%q stands", got)
	}
	content := []byte(strings.Repeat("an output\n", 100))
	ref := a.secret.Ref("ann", content)
	if err := a.conversation("ann", msgs).PutOriginals(t.Context(),
		[]cache.Original{{Ref: ref, Content: content}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Original(t.Context(), "ann", ref); err == nil {
		t.Error("an original that nobody could share is found")
	}
	if s := a.Stats(); s.Up || s.Outages != 1 || s.Failures == 0 {
		t.Errorf("%+v", s)
	}
	back(t, server, a, b)
	eventually(t, "the writing of what had waited", func() bool { return a.Stats().Waiting == 0 })
	if got, err := b.Original(t.Context(), "ann", ref); err != nil || len(got) != len(content) {
		t.Errorf("the original: %d bytes, %v", len(got), err)
	}
	found, renewed, err := a.conversation("ann", msgs[:18]).Find(t.Context(), 18, nil)
	if err != nil || found == nil || string(found.Value) != "two" || !renewed {
		t.Fatalf("%v, %t, %v", found, renewed, err)
	}
	a.written(t)
	if got, at := b.find(t, "ann", msgs[:20]); got != "two" || at != 12 {
		t.Errorf("found %q at %d, want two at 12", got, at)
	}
	if s := a.Stats(); s.Published != 1 || s.Dropped != 0 {
		t.Errorf("%+v", s)
	}
}

// A store that lost everything is filled again from the replicas, including their secret.
func TestFlushedStore(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 40, "hello")
	a.put(t, "ann", msgs[:10], 6, -1, "one")
	a.find(t, "ann", msgs[:12])
	b.put(t, "ann", msgs[:14], 12, 6, "two")
	server.FlushAll()
	if got, _ := a.find(t, "ann", msgs[:16]); got != "one" { // it has not seen the other
		t.Errorf("found %q", got)
	}
	if got, _ := b.find(t, "ann", msgs[:18]); got != "two" {
		t.Errorf("found %q", got)
	}
	a.written(t)
	b.written(t)
	if got, at := a.find(t, "ann", msgs[:20]); got != "two" || at != 12 {
		t.Errorf("found %q at %d, want two at 12", got, at)
	}
	eventually(t, "the return of the secret", func() bool { return server.Exists(checkName) })
	if c := start(t, server); c.secret != a.secret {
		t.Error("a replica that starts later has another secret")
	}
}

// If two replicas each made a form while the store was down, the first one that reconnects wins.
func TestFormsConvergeAfterAnOutage(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 40, "hello")
	server.Close()
	a.put(t, "ann", msgs[:10], 6, -1, "by a")
	b.put(t, "ann", msgs[:12], 6, -1, "by b")
	back(t, server, a, b)
	if got, _ := a.find(t, "ann", msgs[:14]); got != "by a" {
		t.Errorf("found %q", got)
	}
	a.written(t)
	for _, r := range []*replica{b, a} {
		if got, at := r.find(t, "ann", msgs[:16]); got != "by a" || at != 6 {
			t.Errorf("found %q at %d, want that of the first", got, at)
		}
	}
}

// If the store is full, requests continue, and refused writes are counted.
func TestFullStore(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 40, "hello")
	server.SetError("OOM command not allowed when used memory > 'maxmemory'.")
	if got := a.put(t, "ann", msgs[:10], 6, -1, "one"); got != "one" {
		t.Errorf("%q stands", got)
	}
	if s := a.Stats(); !s.Up || s.Refused == 0 {
		t.Errorf("%+v", s)
	}
	server.SetError("")
	if got, _ := a.find(t, "ann", msgs[:12]); got != "one" {
		t.Errorf("found %q", got)
	}
	a.written(t)
	if got, _ := b.find(t, "ann", msgs[:14]); got != "one" {
		t.Errorf("found %q", got)
	}
}

// Values written without the secret count as absent, and do not prevent writes.
func TestForgedValues(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 20, "hello")
	c := a.conversation("ann", msgs[:10])
	if err := server.Set(formName(c.tag, c.keys[6]), strings.Repeat("forged", 20)); err != nil {
		t.Fatal(err)
	}
	if err := server.Set(stampName(c.tag), "forged:6"); err != nil {
		t.Fatal(err)
	}
	if got, at := b.find(t, "ann", msgs[:10]); at != -1 {
		t.Errorf("found %q at %d", got, at)
	}
	if got := a.put(t, "ann", msgs[:10], 6, -1, "one"); got != "one" {
		t.Errorf("%q stands", got)
	}
	a.written(t)
	b.known.InvalidateAll()
	if got, at := b.find(t, "ann", msgs[:12]); got != "one" || at != 6 {
		t.Errorf("found %q at %d", got, at)
	}
}

// A request waits at most for its time-out in total, and then no more for a slow store.
func TestRequestsWaitForTheTimeoutInAll(t *testing.T) {
	server := miniredis.RunT(t)
	a := start(t, server, func(o *Options) { o.Timeout = 20 * time.Millisecond })
	msgs := talk(t, 20, "hello")
	c := a.conversation("ann", msgs)
	c.wait = 0 // as after waiting for the time-out
	before := a.Stats()
	if _, err := c.LastSeen(t.Context()); err != nil {
		t.Error(err)
	}
	if _, _, err := c.Find(t.Context(), 20, nil); err != nil {
		t.Error(err)
	}
	if got, err := c.Replace(t.Context(), 16, -1, []byte("one")); err != nil ||
		string(got.Value) != "one" {
		t.Errorf("%v, %v", got, err)
	}
	after := a.Stats()
	if after.RoundTrips != before.RoundTrips || after.Timeouts-before.Timeouts != 2 {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// Those who read an original wait no shorter than requests do.
func TestReadsOfOriginalsWait(t *testing.T) {
	const timeout = time.Hour
	r := start(t, miniredis.RunT(t), func(o *Options) { o.Timeout = timeout })
	deadlines := new(deadlineHook)
	r.client.redis.AddHook(deadlines)
	_, err := r.Original(t.Context(), "ann", "ref")
	if left := time.Until(deadlines.last); !errors.Is(err, cache.ErrNotFound) || left < timeout/2 {
		t.Errorf("waits for %s: %v", left, err)
	}
}

// deadlineHook keeps the deadline of the last GETRANGE.
type deadlineHook struct{ last time.Time }

func (*deadlineHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *deadlineHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "getrange" {
			h.last, _ = ctx.Deadline()
		}
		return next(ctx, cmd)
	}
}

func (*deadlineHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
