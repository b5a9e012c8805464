package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/wire"
)

// At start serve logs when models are compacted, and does not mention models that are not. Its last
// line says that it stopped.
func TestServeSaysWhatIsCompacted(t *testing.T) {
	c := config.Default()
	c.Cache.InMemory = true
	c.Listen, c.Admin.Listen = "127.0.0.1:0", ""
	c.Models = map[string]config.ModelSpec{"gpt-*": {Mode: config.ModeOff},
		"claude-opus-5-5": {Mode: config.ModeObserve}, "gpt-4.1": {Mode: config.ModeOn}}
	var log strings.Builder
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := serve(ctx, c, openLog(t, config.Log{Level: "info", Format: "json"},
		&log)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"msg":"stopping;`) ||
		!strings.HasSuffix(log.String(), `"msg":"stopped"}`+"\n") {
		t.Errorf("it does not say that it stops and, at last, that it has:\n%s", log.String())
	}
	var models []string
	for line := range strings.Lines(log.String()) {
		var said struct{ Msg, Model string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if said.Msg == "compacting" {
			models = append(models, said.Model)
		}
	}
	if !slices.Equal(models, []string{"gpt-4.1"}) {
		t.Errorf("%q are said to be compacted, want gpt-4.1:\n%s", models, log.String())
	}
}

func openLog(t *testing.T, c config.Log, w io.Writer) *wire.Log {
	t.Helper()
	l := wire.OpenLog(c, w)
	t.Cleanup(l.Close)
	return l
}

func TestServeSaysWhatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := config.Default()
	c.Cache.InMemory = true
	c.Listen, c.Admin.Listen = "127.0.0.1:0", taken.Addr().String()
	err = serve(context.Background(), c, openLog(t, config.Log{Level: "error"}, io.Discard))
	if err == nil || !strings.Contains(err.Error(),
		"admin.listen: "+taken.Addr().String()+" is taken") {
		t.Errorf("got %v", err)
	}
}

// A supervisor must not restart serve where it would fail again.
func TestStartsThatFailAgainHaveTheirExitCode(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := filepath.Join(dir, "store")
	one, other := write("one", strings.Repeat("1", 32)), write("other", strings.Repeat("2", 32))
	quiet := openLog(t, config.Log{Level: "error"}, io.Discard)
	stopped, stop := context.WithCancel(t.Context())
	stop() // what starts against expectation ends
	store, _, err := wire.OpenStore(config.Cache{Dir: folder, EncryptionKeyFile: one}, quiet.Logger)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	file, open, short := write("file", ""), write("open", "a secret"), write("short", "a secret")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		want int
	}{
		"another encryption key": {[]string{"KILLICK_CACHE_DIR=" + folder,
			"KILLICK_CACHE_ENCRYPTION_KEY_FILE=" + other}, exitUsage},
		"a secret that everybody can read": {[]string{"KILLICK_CACHE_DIR=" + folder,
			"KILLICK_CACHE_SECRET_FILE=" + open}, exitUsage},
		"a secret that is too short": {[]string{"KILLICK_CACHE_DIR=" + folder,
			"KILLICK_CACHE_SECRET_FILE=" + short}, exitUsage},
		"a folder as the secret": {[]string{"KILLICK_CACHE_DIR=" + folder,
			"KILLICK_CACHE_SECRET_FILE=" + dir}, exitUsage},
		"an address of another machine": {[]string{"KILLICK_CACHE_IN_MEMORY=true",
			"KILLICK_LISTEN=192.0.2.1:8080"}, exitFailed},
		"a folder in a file": {[]string{"KILLICK_CACHE_DIR=" + filepath.Join(file, "store")},
			exitUsage},
		"a port in use": {[]string{"KILLICK_CACHE_IN_MEMORY=true",
			"KILLICK_LISTEN=" + taken.Addr().String()}, exitFailed},
		"no shared store": {[]string{"KILLICK_CACHE_DIR=" + filepath.Join(dir, "shared"),
			"KILLICK_CACHE_URL=redis://127.0.0.1:1/0"}, exitFailed},
	} {
		settings, err := load.Config(load.Sources{Env: c.env})
		if err == nil {
			settings.Admin.Listen = ""
			if settings.Listen == config.Default().Listen {
				settings.Listen = "127.0.0.1:0"
			}
			err = serve(stopped, settings.Config, quiet)
		}
		if err == nil {
			t.Errorf("%s: it started", name)
			continue
		}
		if code, said := explain(nil, failure{err}); code != c.want {
			t.Errorf("%s: code %d, want %d; it said %q", name, code, c.want, said)
		}
	}
}
