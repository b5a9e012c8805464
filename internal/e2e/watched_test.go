package e2e

import (
	"log/slog"
	"path/filepath"
	"testing"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
)

// watched is the proxy as serve runs it, on listeners of its own, with a store
// on disk and a log that keeps everything.
type watched struct {
	*proxytest.Replica
	log    proxytest.Log
	folder string // of the store and its secret
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
	r, err := proxytest.Serve(t, c,
		slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	w.Replica = r
	return w
}

// metric returns the value of a metric without labels.
func (w *watched) metric(t *testing.T, name string) string {
	t.Helper()
	return valueOf(t, get(t, w.Admin+"/metrics"), name)
}
