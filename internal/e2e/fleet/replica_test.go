package fleet

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"killick/internal/config"
	"killick/internal/wire"
	"killick/prices"
	"killick/tokenizer"
)

// replica is the proxy as serve runs it, with a store on disk.
type replica struct {
	public, admin string // base URLs
	config        config.Config
	log           *logged
	stop          func() // ends it and closes the store; may be called twice
}

// settings are what the replicas of a test have in common.
func settings(upstream, shared string) config.Config {
	c := config.Default()
	c.Compaction.SetProfile("balanced")
	c.Compaction.Trigger, c.Compaction.Target = 4000, 2000
	c.Upstream.BaseURL = upstream
	c.Cache.URL = config.StoreURL(shared)
	// Every form pays at once.
	c.Models = map[string]config.ModelSpec{"*": {Prices: prices.Model{Input: 1, Cached: 1}}}
	return c
}

// start starts a replica with a store of its own.
func start(t testing.TB, c config.Config) *replica {
	t.Helper()
	c.Cache.Dir = filepath.Join(t.TempDir(), "store")
	r, err := serve(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// startAll starts so many replicas at a shared store.
func startAll(t testing.TB, n int, c config.Config) (all []*replica) {
	t.Helper()
	for range n {
		all = append(all, start(t, c))
	}
	return all
}

// again stops a replica, if it still runs, and starts it on what it left.
func (r *replica) again(t testing.TB) *replica {
	t.Helper()
	r.stop()
	after, err := serve(t, r.config)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func serve(t testing.TB, c config.Config) (*replica, error) {
	t.Helper()
	r := &replica{config: c, log: &logged{}}
	a, err := wire.Build(c, slog.New(slog.NewTextHandler(r.log, nil)))
	if err != nil {
		return nil, err
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	r.public = "http://" + listeners[0].Addr().String()
	r.admin = "http://" + listeners[1].Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
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
	return r, nil
}

// total returns the sum of a metric over its labels.
func (r *replica) total(t testing.TB, name string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(string(ask(t, http.MethodGet, r.admin+"/metrics", nil).body)) {
		rest, ok := strings.CutPrefix(line, "killick_"+name)
		if !ok || rest[0] != ' ' && rest[0] != '{' {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):]), 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sum += n
	}
	return sum
}

// totals returns the sum of a metric over replicas.
func totals(t testing.TB, all []*replica, name string) (sum float64) {
	t.Helper()
	for _, r := range all {
		sum += r.total(t, name)
	}
	return sum
}

// awaitUp waits until all replicas use the shared store, or none does, and have written what they
// had for it.
func awaitUp(t testing.TB, all []*replica, up bool) {
	t.Helper()
	for _, r := range all {
		waitFor(t, "the state of the shared store", func() bool {
			return (r.total(t, "shared_store_up") == 1) == up
		})
	}
	if up {
		awaitWritten(t, all)
	}
}

// awaitWritten waits until nothing is to be written to the shared store.
func awaitWritten(t testing.TB, all []*replica) {
	t.Helper()
	for _, r := range all {
		waitFor(t, "what is written behind", func() bool {
			return r.total(t, "shared_store_waiting_bytes") == 0
		})
	}
}

// answer is what a client was answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request with headers, given as names and values in turns.
func ask(t testing.TB, method, url string, body []byte, header ...string) (a answer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	a.status, a.header = res.StatusCode, res.Header
	if a.body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return a
}

// logged is a log that is read while it is written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// noLeaks fails a test that leaves goroutines behind.
func noLeaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		<-tokenizer.Warm("gpt-4o") // in the background, once in a process
		goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction(pool+"tryDial"),
			goleak.IgnoreAnyFunction(pool+"addIdleConn"))
	})
}

// pool is where the library dials in the background. A dial that has begun goes on for up to two
// seconds after a client is closed, then it ends by itself.
const pool = "github.com/redis/go-redis/v9/internal/pool.(*ConnPool)."
