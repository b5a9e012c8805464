package e2e

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/internal/wire"
)

// watched is the proxy as serve runs it, on listeners of its own, with a store
// on disk and a log that keeps everything.
type watched struct {
	public, admin string // base URLs
	log           logBuffer
	folder        string // of the store and its secret
	stop          func() // ends it and closes the store; may be called twice
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newWatched(t *testing.T, upstream string, set func(*config.Config)) *watched {
	t.Helper()
	w := &watched{folder: t.TempDir()}
	c := balanced()
	c.Upstream.BaseURL = upstream
	c.Cache.Dir = filepath.Join(w.folder, "store")
	c.Compaction.Trigger, c.Compaction.Target = 3000, 1500
	if set != nil {
		set(&c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := wire.Build(c,
		slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			cancel()
			t.Fatal(err)
		}
	}
	w.public, w.admin = "http://"+listeners[0].Addr().String(),
		"http://"+listeners[1].Addr().String()
	served := make(chan error, 1)
	go func() { served <- a.Proxy.Serve(ctx, listeners[0], listeners[1]) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	return w
}

// metric returns the value of a metric without labels.
func (w *watched) metric(t *testing.T, name string) string {
	t.Helper()
	return valueOf(t, get(t, w.admin+"/metrics"), name)
}
