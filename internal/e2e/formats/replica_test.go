package formats

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/internal/wire"
	"killick/prices"
)

// replica is the proxy as serve runs it, with a store on disk.
type replica struct {
	public, admin string // base URLs
	config        config.Config
	stop          func() // ends it and closes the store; may be called twice
}

// deployment is where replicas find the secret that they share, and the settings that they have.
type deployment struct {
	folder string
	config config.Config
	stores int
}

func newDeployment(t testing.TB, upstream string, set func(*config.Config)) *deployment {
	t.Helper()
	d := &deployment{folder: t.TempDir(), config: balanced()}
	d.config.Upstream.BaseURL = upstream
	d.config.Cache.SecretFile = filepath.Join(d.folder, "secret")
	if set != nil {
		set(&d.config)
	}
	return d
}

// start starts a replica with a store of its own.
func (d *deployment) start(t testing.TB) *replica {
	t.Helper()
	d.stores++
	c := d.config
	c.Cache.Dir = filepath.Join(d.folder, "store"+strconv.Itoa(d.stores))
	return serve(t, c)
}

// restarted stops a replica and starts it again, with its store or with an empty one.
func (r *replica) restarted(t testing.TB, emptied bool) *replica {
	t.Helper()
	r.stop()
	if emptied {
		if err := os.RemoveAll(r.config.Cache.Dir); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, r.config)
}

func serve(t testing.TB, c config.Config) *replica {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	a, err := wire.Build(c, slog.New(slog.DiscardHandler))
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
	r := &replica{config: c, public: "http://" + listeners[0].Addr().String(),
		admin: "http://" + listeners[1].Addr().String()}
	served := make(chan error, 1)
	go func() { served <- a.Proxy.Serve(ctx, listeners[0], listeners[1]) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// total returns the sum of a metric over its labels.
func (r *replica) total(t testing.TB, name string) (sum int) {
	t.Helper()
	for line := range strings.Lines(string(ask(t, http.MethodGet, r.admin+"/metrics", nil).body)) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok || rest[0] != ' ' && rest[0] != '{' {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):]), 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sum += int(n)
	}
	return sum
}

// answer is what a client was answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request with headers, given as names and values in turns.
func ask(t testing.TB, method, url string, body []byte, header ...string) answer {
	t.Helper()
	a, err := try(t.Context(), method, url, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func try(ctx context.Context, method, url string, body []byte, header ...string) (a answer,
	err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	a.status, a.header = res.StatusCode, res.Header
	a.body, err = io.ReadAll(res.Body)
	return a, err
}

// action is what the proxy says it did.
func (a *answer) action() string { return a.header.Get("Killick-Action") }

// tokens reads "raw=12, sent=10"; both are 0 where nothing was counted.
func (a *answer) tokens(t testing.TB) (raw, sent int) {
	t.Helper()
	for field := range strings.SplitSeq(a.header.Get("Killick-Tokens"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		n, err := strconv.Atoi(value)
		if err != nil && field != "" {
			t.Fatalf("Killick-Tokens: %q: %v", field, err)
		}
		switch name {
		case "raw":
			raw = n
		case "sent":
			sent = n
		}
	}
	return raw, sent
}

// between sets trigger and target.
func between(trigger, target int) func(*config.Config) {
	return func(c *config.Config) {
		c.Compaction.Trigger, c.Compaction.Target = config.Amount(trigger), config.Amount(target)
	}
}

// paying makes every form pay at once: cached input costs no less than fresh one.
func paying(c *config.Config) {
	c.Models = map[string]config.ModelSpec{"*": {Prices: prices.Model{Input: 1, Cached: 1}}}
}

// balanced is a configuration of fixed sizes: what a test sets does not follow from prices.
func balanced() config.Config {
	c := config.Default()
	c.Compaction.SetProfile("balanced")
	return c
}
