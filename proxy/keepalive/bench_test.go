package keepalive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"killick/chat"
	"killick/messages"
	"killick/prices"
	"killick/proxy/format"
	"killick/view"
)

// claude is a model with a cache of five minutes.
var claude = prices.Model{Input: 4, Cached: .2, Write: 5, Output: 20, Lifetime: 5 * time.Minute,
	Extended: prices.Extended{Lifetime: time.Hour, Write: 8}, Match: prices.MatchMark}

// bench is a keeper with an upstream that is a function.
type bench struct {
	*Keeper
	t        *testing.T
	registry *prometheus.Registry
	logs     bytes.Buffer

	mu          sync.Mutex
	sent        []sentRequest
	used        int
	cold        int         // of replies, as in Reply
	responsible Responsible // of replies
	// reply answers the nth request, counted from 0. If nil, from the cache.
	reply func(n int, r *http.Request) (*http.Response, error)
}

// sentRequest is one that the keeper sent.
type sentRequest struct {
	*http.Request
	body []byte
	at   time.Duration // since the bench was made
}

func newBench(t *testing.T, change ...func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, registry: prometheus.NewRegistry()}
	o := Options{MaxRequests: 2, MaxSpend: 1, MaxHeld: 1 << 20,
		Prices: func(model string) (prices.Model, bool) {
			return claude, strings.HasPrefix(model, "claude")
		}}
	for _, c := range change {
		c(&o)
	}
	log := slog.New(slog.NewTextHandler(&b.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if b.Keeper, err = New(o, log, b.registry); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) roundTrip(start time.Time) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		b.mu.Lock()
		n := len(b.sent)
		b.sent = append(b.sent, sentRequest{r, body, time.Since(start)})
		b.mu.Unlock()
		if b.reply != nil {
			return b.reply(n, r)
		}
		return replied(http.StatusOK, cachedReply(100_000, 0, 1)), nil
	}
}

func replied(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}
}

// cachedReply is a message that read and wrote so many tokens of the cache.
func cachedReply(read, written, output int) string {
	return fmt.Sprintf(`{"type":"message","usage":{"input_tokens":3,"cache_read_input_tokens":%d,`+
		`"cache_creation_input_tokens":%d,"output_tokens":%d}}`, read, written, output)
}

const conversation = `{"model":"claude-x","max_tokens":4096,"stream":true,"messages":[` +
	`{"role":"user","content":"Hello."},{"role":"assistant","content":"Hi."},` +
	`{"role":"user","content":"Go on."}]}`

// request makes the bench a client's request that takes so long and ends well.
func (b *bench) request(start time.Time, body string, takes time.Duration) *Turn {
	b.t.Helper()
	turn := b.begin("ann", body)
	time.Sleep(takes)
	b.end(turn, start, body)
	return turn
}

func (b *bench) begin(who, body string) *Turn {
	b.t.Helper()
	req, err := view.Parse(messages.Format, []byte(body))
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Begin(Conversation{Who: who, Upstream: "u", Format: format.Messages, Request: req})
}

func (b *bench) end(turn *Turn, start time.Time, body string) {
	at := &url.URL{Scheme: "https", Host: "api.example", Path: "/v1/messages"}
	turn.Keep([]byte(body), &http.Request{URL: at, Header: http.Header{
		"Authorization": {"Bearer secret-key"}, "Content-Encoding": {"zstd"}}})
	turn.End(Reply{Whole: true, Usage: chat.Usage{PromptTokens: 100_003, CachedTokens: 98_000,
		WrittenTokens: 2000, CompletionTokens: 500}, Cold: b.cold, Do: b.roundTrip(start),
		Responsible: b.responsible,
		Used: func(context.Context) {
			b.mu.Lock()
			b.used++
			b.mu.Unlock()
		}})
}

// metric returns a counter's value, or a gauge's, once all that is due has been done: a timer fires
// at the very moment at which a test's own sleep ends.
func (b *bench) metric(name, label string) float64 {
	b.t.Helper()
	synctest.Wait()
	families, err := b.registry.Gather()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return 0
}

// check compares what was sent when, and what is held.
func (b *bench) check(held bool, at ...time.Duration) {
	b.t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []time.Duration
	for _, s := range b.sent {
		got = append(got, s.at)
	}
	if fmt.Sprint(got) != fmt.Sprint(at) {
		b.t.Errorf("sent at %v, want %v", got, at)
	}
	if holds := b.metric("killick_keepalive_held_bytes", "") > 0; holds != held {
		b.t.Errorf("a request is held: %t, want %t", holds, held)
	}
}

func (b *bench) counts(name string, want map[string]float64) {
	b.t.Helper()
	for label, n := range want {
		if got := b.metric(name, label); got != n {
			b.t.Errorf("%s of %s: %v, want %v", name, label, got, n)
		}
	}
}
