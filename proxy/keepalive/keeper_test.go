package keepalive

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"killick/chat"
	"killick/prices"
)

const seconds = time.Second

// idlePeriods is a metric.
const idlePeriods = "killick_keepalive_idle_periods_total"

// An idle period gets its requests shortly before each lifetime ends, and no more than are allowed;
// then the request is forgotten.
func TestAnIdleCacheIsKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.request(start, conversation, 10*seconds)
		b.check(true)
		time.Sleep(259*seconds + 999*time.Millisecond)
		b.check(true)
		time.Sleep(time.Millisecond)
		b.check(true, 270*seconds)
		time.Sleep(270 * seconds)
		b.check(false, 270*seconds, 540*seconds)
		b.counts(idlePeriods, map[string]float64{"expired": 0})
		time.Sleep(300 * seconds)
		b.counts("killick_keepalives_total", map[string]float64{"kept": 2, "missed": 0})
		b.counts(idlePeriods, map[string]float64{"expired": 1, "returned": 0})
		b.counts("killick_keepalive_tokens_total", map[string]float64{"prompt": 200_006,
			"cached": 200_000, "written": 0, "completion": 2})
		if b.used != 2 {
			t.Errorf("its use was recorded %d times", b.used)
		}
		if got := b.metric("killick_keepalive_cost_dollars_total", ""); got < .0400 || got > .0402 {
			t.Errorf("it cost %v dollars", got)
		}
		s := b.sent[0]
		const want = `{"model":"claude-x","max_tokens":1,"messages":[` +
			`{"role":"user","content":"Hello."},{"role":"assistant","content":"Hi."},` +
			`{"role":"user","content":"Go on."}]}`
		if string(s.body) != want || s.Header.Get("Authorization") != "Bearer secret-key" ||
			s.Header.Get("Content-Encoding") != "" || s.URL.Path != "/v1/messages" {
			t.Errorf("%s %v: %s", s.URL, s.Header, s.body)
		}
		if logs := b.logs.String(); strings.Contains(logs, "secret-key") ||
			strings.Contains(logs, "Hello") || !strings.Contains(logs, "outcome=kept") {
			t.Errorf("logged: %s", logs)
		}
	})
}

// A conversation that continues is left alone until its next reply has ended.
func TestReturningEndsAnIdlePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.request(start, conversation, 10*seconds)
		time.Sleep(200 * seconds)
		grown := strings.Replace(conversation, `"Go on."}`, `"Go on."},{"role":"assistant",`+
			`"content":[{"type":"text","text":"So."}]},{"role":"user","content":"And?"}`, 1)
		b.request(start, grown, 100*seconds) // it begins at 210 s
		b.check(true)
		b.counts(idlePeriods, map[string]float64{"returned": 0, "expired": 0})
		time.Sleep(170 * seconds)
		b.check(true, 480*seconds)
		time.Sleep(seconds)
		b.begin("ann", grown)
		b.check(false, 480*seconds)
		b.counts(idlePeriods, map[string]float64{"returned": 1, "expired": 0})
		time.Sleep(time.Hour)
		b.check(false, 480*seconds)
	})
}

// Conversations of other clients, and others of the same, do not end an idle period.
func TestOthersDoNotEndAnIdlePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.request(start, conversation, 0)
		b.begin("bob", conversation)
		b.begin("ann", strings.Replace(conversation, "Hello", "Good evening", 1))
		b.begin("ann", strings.Replace(conversation, `"Hi."`, `"Good day."`, 1))
		b.begin("ann", strings.Replace(conversation, `"stream"`, `"system":"Be brief.","stream"`,
			1))
		time.Sleep(270 * seconds)
		b.check(true, 270*seconds)
	})
}

// A client whose data is deleted ends its own idle periods and nobody else's.
func TestForgettingOneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.request(start, conversation, 0)
		b.Forget("bob")
		b.check(true)
		b.Forget("ann")
		b.check(false)
	})
}

// What goes wrong ends the keeping of a conversation, and is counted.
func TestFaultsEndAnIdlePeriod(t *testing.T) {
	for name, test := range map[string]struct {
		reply   func(*http.Request) (*http.Response, error)
		outcome string
		again   bool // it is tried again in the next idle period
	}{
		"nothing was cached": {func(*http.Request) (*http.Response, error) {
			return replied(200, cachedReply(0, 100_000, 1)), nil
		}, "missed", true},
		"an answer without a bound": {func(*http.Request) (*http.Response, error) {
			return replied(200, cachedReply(100_000, 0, 4000)), nil
		}, "unbounded", false},
		"not understood": {func(*http.Request) (*http.Response, error) {
			return replied(400, `{"type":"error"}`), nil
		}, "refused", false},
		"too many requests": {func(*http.Request) (*http.Response, error) {
			return replied(429, `{}`), nil
		}, "refused", true},
		"overloaded": {func(*http.Request) (*http.Response, error) {
			return replied(529, `{}`), nil
		}, "refused", true},
		"no usage": {func(*http.Request) (*http.Response, error) {
			return replied(200, `{}`), nil
		}, "failed", true},
		"no answer": {func(*http.Request) (*http.Response, error) {
			return nil, errors.New("connection reset")
		}, "failed", true},
		"no answer in time": {func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, "failed", true},
		"a panic": {func(*http.Request) (*http.Response, error) { panic("of a transport") },
			"failed", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, b := time.Now(), newBench(t)
				defer b.Close()
				b.reply = func(_ int, r *http.Request) (*http.Response, error) {
					return test.reply(r)
				}
				b.request(start, conversation, 0)
				time.Sleep(20 * time.Minute)
				b.check(false, 270*seconds)
				b.counts("killick_keepalives_total", map[string]float64{test.outcome: 1, "kept": 0})
				if b.used != 0 {
					t.Error("its use was recorded")
				}
				b.request(start, conversation, 0)
				if b.metric("killick_keepalive_held_bytes", "") > 0 != test.again {
					t.Errorf("tried again in the next idle period: %t", !test.again)
				}
			})
		})
	}
}

// What nothing is known of, or what would not pay, is not held.
func TestWhatIsNotHeld(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(conversation, old, new, 1) }
	for name, test := range map[string]struct {
		body   string
		change func(*Options)
	}{
		"a model without prices": {with("claude-x", "other"), nil},
		"no answer yet":          {with(`{"role":"assistant","content":"Hi."},`, ""), nil},
		"marks of a day":         {with(`"stream"`, `"cache_control":{"ttl":"24h"},"stream"`), nil},
		"a budget of thinking":   {with(`"stream"`, `"thinking":{"type":"enabled"},"stream"`), nil},
		"no room":                {conversation, func(o *Options) { o.MaxHeld = 100 }},
		"dear cached tokens": {conversation, func(o *Options) {
			o.Prices = func(string) (prices.Model, bool) {
				m := claude
				m.Cached = 2
				return m, true
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var change []func(*Options)
				if test.change != nil {
					change = append(change, test.change)
				}
				start, b := time.Now(), newBench(t, change...)
				defer b.Close()
				b.request(start, test.body, 0)
				b.check(false)
				time.Sleep(2 * time.Hour)
				b.check(false)
			})
		})
	}
}

// A reply that was cut off, or that states no usage, begins no idle period and leaves no bytes
// reserved.
func TestOnlyWholeRepliesBeginAnIdlePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		defer b.Close()
		for _, end := range []struct {
			ok    bool
			usage chat.Usage
		}{{false, chat.Usage{PromptTokens: 100_000, CachedTokens: 99_000}}, {true, chat.Usage{}}} {
			turn := b.begin("ann", conversation)
			if !turn.Keep([]byte(conversation), &http.Request{}) {
				t.Fatal("nothing is held while the reply comes")
			}
			b.check(true)
			turn.End(Reply{Whole: end.ok, Usage: end.usage})
			turn.End(Reply{Whole: true,
				Usage: chat.Usage{PromptTokens: 100_000, CachedTokens: 99_000}})
			b.check(false)
		}
		// A reply that outlasts the lifetime leaves nothing to keep.
		turn := b.begin("ann", conversation)
		time.Sleep(5 * time.Minute)
		b.end(turn, time.Now(), conversation)
		b.check(false)
	})
}

// What would be folded anyway once it is forgotten is not worth keeping.
func TestFoldsAfterIdleTimesAreCheaper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.cold = 20_000
		b.request(start, conversation, 0)
		b.check(false)
		b.cold = 60_000
		b.request(start, conversation, 0)
		time.Sleep(270 * seconds)
		b.check(false, 270*seconds) // the second would not pay
	})
}

func TestSpendIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t, func(o *Options) { o.MaxSpend = .05 })
		defer b.Close()
		for i := range 4 { // each request costs 2 cents
			body := strings.Replace(conversation, "Hello", fmt.Sprint("Hello ", i), 1)
			b.end(b.begin("ann", body), start, body)
		}
		time.Sleep(270 * seconds)
		b.check(true, 270*seconds, 270*seconds)
		b.counts("killick_keepalives_total", map[string]float64{"kept": 2, "over_budget": 2})
		time.Sleep(time.Hour)
		b.counts("killick_keepalives_total", map[string]float64{"kept": 2, "over_budget": 4})
		b.request(time.Now(), conversation, 0)
		time.Sleep(270 * seconds)
		b.counts("killick_keepalives_total", map[string]float64{"kept": 3, "over_budget": 4})
	})
}

// Close ends what is being sent and waits for it; nothing is sent afterwards.
func TestCloseEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		ended := false
		b.reply = func(_ int, r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			time.Sleep(time.Second)
			ended = true
			return nil, r.Context().Err()
		}
		b.request(start, conversation, 0)
		other := strings.Replace(conversation, "Hello", "Good evening", 1)
		time.Sleep(100 * seconds)
		b.request(start, other, 0)
		late := b.begin("bob", conversation)
		time.Sleep(171 * seconds)
		b.check(true, 270*seconds)
		closing := time.Now()
		b.Close()
		if took := time.Since(closing); !ended || took > time.Second {
			t.Errorf("Close returned after %v; the request that was being sent had ended: %t", took,
				ended)
		}
		b.counts("killick_keepalives_total", map[string]float64{"stopped": 1})
		b.check(false, 270*seconds)
		b.end(late, start, conversation)
		time.Sleep(time.Hour)
		b.check(false, 270*seconds)
		b.Close()
	})
}

// Nothing is kept alive unless it is asked for, and what keeps nothing may be called.
func TestOffByDefault(t *testing.T) {
	k, err := New(Options{Prices: func(string) (prices.Model, bool) { return claude, true }},
		slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if k != nil || err != nil {
		t.Fatalf("the zero options make %v, %v", k, err)
	}
	turn := k.Begin(Conversation{})
	if turn.Keep([]byte("x"), nil) {
		t.Error("a body is kept")
	}
	turn.End(Reply{Whole: true})
	k.Forget("")
	k.Close()
}
