package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"killick/compaction"
	"killick/internal/fakemessages"
	"killick/internal/fakeserver"
	"killick/prices"
	"killick/proxy/keepalive"
	"killick/proxy/target"
)

// keptRig is a proxy that keeps caches alive, in a bubble of test time, in front of an upstream
// whose cache follows marks and forgets as Anthropic's does.
type keptRig struct {
	*rig
	up   *fakemessages.Server
	used atomic.Int64 // how often a use was reported to the compactor
}

// keptAlive runs a test in a bubble. The upstream runs outside, since its listener would keep the
// bubble's time from passing, and so do connections to it that are idle.
func keptAlive(
	t *testing.T, script fakemessages.Config, change func(*Options), test func(r *keptRig),
) {
	var clock atomic.Int64
	script.Record, script.Now = true, func() time.Time { return time.Unix(0, clock.Load()) }
	script.Reply = func(*fakemessages.Request) fakemessages.Reply { // as short as was asked for
		return fakemessages.Reply{NoThinking: true,
			Blocks: []fakemessages.Content{fakemessages.Text("Yes.")}}
	}
	up := fakemessages.New(script)
	defer up.Close()
	synctest.Test(t, func(t *testing.T) {
		base, err := url.Parse(up.URL())
		if err != nil {
			t.Fatal(err)
		}
		k, logs := &keptRig{up: up}, new(syncBuffer)
		opt := Options{Upstream: target.Upstream{BaseURL: base, APIKey: "upstream-secret"},
			Logger: slog.New(slog.NewJSONHandler(logs,
				&slog.HandlerOptions{Level: slog.LevelDebug})),
			CacheKeepAlive: keepalive.Options{MaxRequests: 2, MaxSpend: 1, MaxHeld: 1 << 20,
				Prices: func(string) (prices.Model, bool) {
					return prices.Published().Of("claude-opus-5.5")
				}},
			Compactor: fake{compact: func(_ context.Context, r Request) compaction.Outcome {
				return compaction.Outcome{Body: r.Chat.Raw(),
					CacheUsed: func(context.Context) { k.used.Add(1) }}
			}}}
		if change != nil {
			change(&opt)
		}
		p, err := New(opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		transport := p.upstreams[0].Transport
		transport.DisableKeepAlives = true
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, at string) (net.Conn, error) {
			clock.Store(time.Now().UnixNano())
			return dial(ctx, network, at)
		}
		k.rig = &rig{t: t, proxy: p, logs: logs}
		test(k)
	})
}

// turn sends a conversation of n turns of the user, marked at its end, and returns what the
// upstream read from its cache and wrote to it.
func (k *keptRig) turn(n int, change ...func(string) string) (read, written int) {
	k.t.Helper()
	text := strings.Repeat("What a long question this is. ", 200)
	var list []string
	for i := range n {
		if i > 0 {
			list = append(list, `{"role":"assistant","content":"An answer."}`)
		}
		mark := ""
		if i == n-1 {
			mark = `,"cache_control":{"type":"ephemeral"}`
		}
		list = append(list, fmt.Sprintf(
			`{"role":"user","content":[{"type":"text","text":"%d %s"%s}]}`, i, text, mark))
	}
	body := `{"model":"claude-opus-5","max_tokens":1000,"stream":true,"messages":[` +
		strings.Join(list, ",") + `]}`
	for _, c := range change {
		body = c(body)
	}
	r := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	w := httptest.NewRecorder()
	k.proxy.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		k.t.Fatalf("%d: %s", w.Code, w.Body)
	}
	all := k.up.Requests()
	u := all[len(all)-1].Usage
	return u.CacheReadTokens, u.CacheCreationTokens
}

// sent returns how many requests the upstream got.
func (k *keptRig) sent() int { return len(k.up.Requests()) }

// After twelve idle minutes everything is in a cache that lives five, which it is not without
// requests of ours.
func TestCachesAreKeptAlive(t *testing.T) {
	for _, on := range []bool{true, false} {
		keptAlive(t, fakemessages.Config{}, func(o *Options) {
			if !on {
				o.CacheKeepAlive = keepalive.Options{}
			}
		}, func(k *keptRig) {
			k.turn(1)
			time.Sleep(time.Minute)
			read, written := k.turn(2)
			if read == 0 || written == 0 {
				t.Fatalf("the upstream caches nothing: %d read, %d written", read, written)
			}
			known := read + written
			time.Sleep(12 * time.Minute)
			read, _ = k.turn(3)
			switch {
			case !on:
				if read != 0 || k.sent() != 3 {
					t.Errorf("without it %d tokens were cached, by %d requests", read, k.sent())
				}
			case read != known || k.sent() != 5 || k.used.Load() != 2:
				t.Errorf(
					"%d of %d tokens were cached, by %d requests, recorded %d times",
					read,
					known,
					k.sent(),
					k.used.Load(),
				)
			}
			if !on {
				return
			}
			if n := k.metric("killick_keepalives_total", "kept"); n != 2 {
				t.Errorf("%v are counted", n)
			}
			if n := k.metric("killick_keepalive_idle_periods_total", "returned"); n != 1 {
				t.Errorf("%v returns are counted", n)
			}
			client, own := k.up.Requests()[1], k.up.Requests()[2]
			var a, b map[string]json.RawMessage
			if json.Unmarshal(client.Body, &a) != nil || json.Unmarshal(own.Body, &b) != nil {
				t.Fatal("not JSON")
			}
			if string(a["messages"]) != string(b["messages"]) || string(b["max_tokens"]) != "1" ||
				b["stream"] != nil || len(b) != len(a)-1 {
				t.Errorf("sent again as %s", own.Body)
			}
			if own.Header.Get("X-Api-Key") != "upstream-secret" {
				t.Error("it has not the credential that the request was sent with")
			}
			if strings.Contains(k.logs.String(), "upstream-secret") ||
				strings.Contains(k.logs.String(), "long question") {
				t.Error("the log quotes it")
			}
		})
	}
}

// What the Compactor made is what is sent again, not what came.
func TestWhatWasForwardedIsKeptAlive(t *testing.T) {
	cut := func(_ context.Context, r Request) compaction.Outcome {
		return compaction.Outcome{Masked: true,
			Body: []byte(strings.Replace(string(r.Chat.Raw()), "0 What a", "0 A", 1))}
	}
	keptAlive(t, fakemessages.Config{}, func(o *Options) { o.Compactor = fake{compact: cut} },
		func(k *keptRig) {
			k.turn(1)
			k.turn(2)
			time.Sleep(5 * time.Minute)
			if k.sent() != 3 || !strings.Contains(string(k.up.Requests()[2].Body), `"0 A long`) {
				t.Errorf("%d requests, the last is not the one that was forwarded", k.sent())
			}
		})
}

// A request in a mode below on, an error, a deletion of data and the end of the process leave
// nothing to be sent.
func TestWhatEndsKeepingAlive(t *testing.T) {
	observed := func(o *Options) { o.Mode = ModeObserve }
	slowly := func(o *Options) { o.Timeouts.Notice = time.Hour }
	failing := fakemessages.Config{Fault: func(n int, _ *http.Request) (f fakeserver.Fault) {
		if n == 2 {
			f.Status = http.StatusInternalServerError
		}
		return f
	}}
	for name, test := range map[string]struct {
		script fakemessages.Config
		change func(*Options)
		then   func(k *keptRig)
	}{
		"the mode observe": {change: observed, then: func(*keptRig) {}},
		"deletion of data": {then: func(k *keptRig) {
			w := httptest.NewRecorder()
			k.proxy.Handler().ServeHTTP(w, httptest.NewRequest("DELETE", "/killick/data", nil))
			if w.Code != http.StatusOK {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
		}},
		"the end": {change: slowly, then: func(k *keptRig) {
			_ = k.proxy.drain([]*http.Server{{}}, func(error) {})
		}},
		"an error": {script: failing, then: func(*keptRig) {}},
	} {
		keptAlive(t, test.script, test.change, func(k *keptRig) {
			k.turn(1)
			if name == "an error" {
				r := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(
					string(k.up.Requests()[0].Body)))
				k.proxy.Handler().ServeHTTP(httptest.NewRecorder(), r)
			} else {
				k.turn(2)
				if held := k.metric("killick_keepalive_held_bytes") > 0; held !=
					(name != "the mode observe") {
					t.Errorf("%s: held before: %t", name, held)
				}
			}
			test.then(k)
			if k.metric("killick_keepalive_held_bytes") != 0 {
				t.Errorf("%s: a request is held", name)
			}
			time.Sleep(time.Hour)
			if k.sent() != 2 {
				t.Errorf("%s: %d requests were sent", name, k.sent())
			}
		})
	}
}
