package fleet

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/prices"
	"killick/tokenizer"
)

// replica is the proxy as serve runs it, with a store on disk.
type replica struct {
	*proxytest.Replica
	log *proxytest.Log
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
	r.Stop()
	after, err := serve(t, r.Config)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func serve(t testing.TB, c config.Config) (*replica, error) {
	t.Helper()
	log := &proxytest.Log{}
	r, err := proxytest.Serve(t, c, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		return nil, err
	}
	return &replica{r, log}, nil
}

// totals returns the sum of a metric over replicas.
func totals(t testing.TB, all []*replica, name string) (sum float64) {
	t.Helper()
	for _, r := range all {
		sum += r.Total(t, name)
	}
	return sum
}

// awaitUp waits until all replicas use the shared store, or none does, and have written what they
// had for it.
func awaitUp(t testing.TB, all []*replica, up bool) {
	t.Helper()
	for _, r := range all {
		waitFor(t, "the state of the shared store", func() bool {
			return (r.Total(t, "shared_store_up") == 1) == up
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
			return r.Total(t, "shared_store_waiting_bytes") == 0
		})
	}
}

// noLeaks fails a test that leaves goroutines behind.
func noLeaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		<-tokenizer.Warm("gpt-4o") // in the background, once in a process
		goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction(pool+"tryDial"),
			goleak.IgnoreAnyFunction(pool+"addIdleConn"),
			goleak.IgnoreAnyFunction(pool+"dialConn"))
	})
}

// pool is where the library dials in the background. A dial that has begun goes on for up to two
// seconds after a client is closed, then it ends by itself.
const pool = "github.com/redis/go-redis/v9/internal/pool.(*ConnPool)."
