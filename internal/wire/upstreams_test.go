package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"killick/cache"
	"killick/compactor/settings"
	"killick/internal/config"
	"killick/proxy"
	"killick/proxy/target"
)

// What is learned about a model at one upstream is not used for the same name at another upstream,
// nor for another client.
func TestWindowsAreLearnedPerUpstream(t *testing.T) {
	w := newLearnedWindows(hashUnder(cache.NewSecret()), nil)
	here, there := w.at("here"), w.at("there")
	here.Learn("ann", "m", settings.Learned{Window: 9000, Stated: true})
	there.Learn("ann", "m", settings.Learned{Window: 30000, Stated: true})
	for _, test := range []struct {
		at   windowsAt
		who  string
		want int
	}{
		{here, "ann", 9000}, {there, "ann", 30000}, {here, "bob", 0}, {w.at(""), "ann", 0},
		{here, "", 0}, {there, "bob", 0}, {w.at(""), "", 0},
	} {
		if got := test.at.Learned(test.who, "m").Window; got != test.want {
			t.Errorf("%q of %q: %d, want %d", test.at.upstream, test.who, got, test.want)
		}
	}
}

// severalConfig names two upstreams at these addresses.
func severalConfig(t *testing.T, small, large string) config.Config {
	t.Helper()
	c := config.Default()
	c.Cache.InMemory = true
	c.Compaction.Trigger, c.Compaction.Target, c.Compaction.Ingest = 0.6, 0.35, 0
	c.Upstreams = []config.UpstreamEntry{
		{Name: "small", BaseURL: small, APIKey: "sk-of-small", Models: []string{"small-*"}},
		{Name: "large", BaseURL: large, APIKey: "sk-of-large", KeyHeader: "x-api-key"},
	}
	return c
}

// After a refusal by one upstream a smaller form is sent to it, with its own key. Requests to the
// other upstream do not change.
func TestARefusalConcernsItsUpstreamAlone(t *testing.T) {
	var refused, whole atomic.Int64
	small := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer sk-of-small" || r.Header["X-Api-Key"] != nil {
			t.Errorf("small got %v", r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		if len(body) > 40_000 {
			refused.Add(1)
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"This model's maximum context length is `+
				`8192 tokens. However, your messages resulted in 20000 tokens."}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[]}`)
	}))
	defer small.Close()
	large := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("X-Api-Key") != "sk-of-large" || r.Header["Authorization"] != nil {
			t.Errorf("large got %v", r.Header)
		}
		if len(body) > 40_000 {
			whole.Add(1)
		}
		_, _ = io.WriteString(w, `{"choices":[]}`)
	}))
	defer large.Close()
	a, err := Build(severalConfig(t, small.URL+"/v1", large.URL+"/v1"),
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	defer a.Proxy.Close()
	front := httptest.NewServer(a.Proxy.Handler())
	defer front.Close()
	for _, model := range []string{"small-1", "other", "small-1", "other"} {
		res, err := http.Post(front.URL+"/v1/chat/completions", "application/json",
			strings.NewReader(longConversation(model)))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s: %d", model, res.StatusCode)
		}
	}
	if refused.Load() != 1 || whole.Load() != 2 {
		t.Errorf("%d refused at the one, %d whole at the other; want 1 and 2", refused.Load(),
			whole.Load())
	}
}

// longConversation has about 80 KB, mostly tool outputs without repetitions.
func longConversation(model string) string {
	var b strings.Builder
	b.WriteString(`{"model":"` + model + `","messages":[{"role":"user","content":"Look."}`)
	for i := range 10 {
		id := string(rune('a' + i))
		var lines strings.Builder
		for sum := sha256.Sum256([]byte(id)); lines.Len() < 8000; sum = sha256.Sum256(sum[:]) {
			lines.WriteString(hex.EncodeToString(sum[:6]) + " word\\n")
		}
		b.WriteString(`,{"role":"assistant","content":null,"tool_calls":[{"id":"` + id +
			`","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"` + id + `","content":"` + lines.String() + `"}`)
	}
	b.WriteString(`,{"role":"assistant","content":"Done."},{"role":"user","content":"Go on."}]}`)
	return b.String()
}

// Our own calls use the connections of their upstream, and go to no other address.
func TestModelRoutesOfSeveralUpstreams(t *testing.T) {
	c := severalConfig(t, "http://one.example/a/v1", "http://one.example/b/v1")
	o, err := proxyOptions(&c)
	if err != nil {
		t.Fatal(err)
	}
	route := newUpstreamRoutes(o)
	var used string
	for i, name := range []string{"small", "large"} {
		route.transports[i].Proxy = func(*http.Request) (*url.URL, error) {
			used = name
			return nil, io.ErrUnexpectedEOF // no connection is made
		}
	}
	for address, want := range map[string]string{
		"http://one.example/a/v1/chat/completions": "small",
		"http://one.example/b/v1/chat/completions": "large",
		"http://two.example/b/v1/chat/completions": "",
		"https://one.example/a/v1/x":               "",
	} {
		used = ""
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := route.RoundTrip(req); err == nil || used != want {
			t.Errorf("%s: over %q, %v; want %q", address, used, err, want)
		}
	}
	route.CloseIdleConnections()
}

// If two upstreams have the same host and addresses with the same beginning, a call uses its own
// upstream's connections: the other may have another client certificate.
func TestModelRoutesOfUpstreamsThatBeginAlike(t *testing.T) {
	for _, bases := range [][2]string{
		{"http://one.example/a", "http://one.example/a-b"},
		{"http://one.example", "http://one.example/b/"},
	} {
		c := severalConfig(t, bases[0], bases[1])
		o, err := proxyOptions(&c)
		if err != nil {
			t.Fatal(err)
		}
		route := newUpstreamRoutes(o)
		var used string
		for i := range bases {
			route.transports[i].Proxy = func(*http.Request) (*url.URL, error) {
				used = bases[i]
				return nil, io.ErrUnexpectedEOF // no connection is made
			}
		}
		for _, want := range bases {
			req, err := http.NewRequest("GET", strings.TrimSuffix(want, "/")+"/messages", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := route.RoundTrip(req); err == nil || used != want {
				t.Errorf("%s: over %q, %v; want %q", req.URL, used, err, want)
			}
		}
	}
}

// Calls to the upstream's own models use the same protocol as its requests, including HTTP/2
// without TLS. Calls to other addresses use a protocol that all servers support.
func TestModelsAreAskedAsTheUpstreamIs(t *testing.T) {
	route := modelRoutes(proxy.Options{Upstream: target.Upstream{H2C: true}})
	for baseURL, want := range map[string]bool{"": true, "http://elsewhere.example": false} {
		transport := route(baseURL).(*http.Transport)
		got := transport.Protocols != nil && transport.Protocols.UnencryptedHTTP2()
		if got != want {
			t.Errorf("at %q: HTTP/2 without TLS %t, want %t", baseURL, got, want)
		}
	}
}
