package e2e

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/wire"
	"killick/prices"
	"killick/tokenizer"
	"killick/view"
)

// gateway is the proxy as serve wires it, in front of a scripted upstream, both
// on loopback.
type gateway struct {
	url      string
	upstream *fakeupstream.Server
}

// newGateway starts one. set changes the configuration, which is the default
// one with a store in memory.
func newGateway(t testing.TB, script fakeupstream.Config, set func(*config.Config)) *gateway {
	t.Helper()
	if script.Count == nil {
		script.Count = countForUpstream
	}
	script.Record = true
	upstream := fakeupstream.New(script)
	t.Cleanup(upstream.Close)
	c := balanced()
	c.Upstream.BaseURL = upstream.URL()
	c.Cache.InMemory = true
	if set != nil {
		set(&c)
	}
	_, url := serving(t, c, slog.New(slog.DiscardHandler))
	return &gateway{url: url, upstream: upstream}
}

// serving builds the proxy as serve does, and serves it until the test is over.
func serving(t testing.TB, c config.Config, log *slog.Logger) (a *wire.App, url string) {
	t.Helper()
	a, err := wire.Build(c, log)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(a.Proxy.Handler())
	t.Cleanup(func() {
		server.Close()
		a.Proxy.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, server.URL
}

var requestCounter = tokenizer.New(tokenizer.Options{})

func countForUpstream(req *view.Request) (perMessage []int, fixed int) {
	b := requestCounter.For(req.Model()).Request(req)
	return b.Messages, b.Total - sum(b.Messages)
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

// between sets trigger and target.
func between(trigger, target config.Amount) func(*config.Config) {
	return func(c *config.Config) { c.Compaction.Trigger, c.Compaction.Target = trigger, target }
}

// foldBetween sets trigger and target, and has turns folded instead of outputs masked.
func foldBetween(trigger, target config.Amount) func(*config.Config) {
	return func(c *config.Config) {
		between(trigger, target)(c)
		c.Compaction.MinMaskTokens = 100_000
	}
}

// forwarded is what became of one request.
type forwarded struct {
	status int
	header http.Header // of the reply
	reply  []byte
	body   []byte // as the upstream got it, where the test looks
}

// chat sends a chat request under a key and returns what the upstream saw. A
// gateway that is used by one test at a time may call it; the record is its own.
func (g *gateway) chat(t testing.TB, key string, body []byte) forwarded {
	t.Helper()
	g.upstream.Reset()
	f := ask(t, g.url+chatPath, body, "Authorization", "Bearer "+key, "Content-Type",
		"application/json")
	seen := g.upstream.Requests()
	if len(seen) != 1 {
		t.Fatalf("the upstream saw %d requests, want 1", len(seen))
	}
	f.body = seen[0].Body
	return f
}

// did reports whether the reply says that something was done.
func (f *forwarded) did(what string) bool {
	return strings.Contains(f.header.Get("Killick-Action"), what)
}

func mustParse(t testing.TB, body []byte) *view.Request {
	t.Helper()
	r, err := chat.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// numberFrom reads a number from the environment: the long runs of the Makefile.
func numberFrom(t *testing.T, variable string, normal int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return normal
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
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
