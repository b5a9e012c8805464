package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"killick/internal/fakeupstream"
)

// clock is a clock that only moves when it is set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestLedger(t *testing.T) {
	c := &clock{time.Date(2026, 3, 1, 11, 58, 0, 0, time.UTC)}
	l := newLedger(Limits{Calls: 3, Spend: 0.5}, c.now)
	take := func(key string, want error) {
		t.Helper()
		if err := l.take(t.Context(), key); !errors.Is(err, want) {
			t.Errorf("at %s: %v, want %v", c.at.Format(time.TimeOnly), err, want)
		}
	}
	take("a", nil)
	c.at = c.at.Add(20 * time.Minute)
	take("a", nil)
	take("a", nil)
	take("a", ErrLimit)
	take("b", nil)                    // another conversation has calls of its own
	c.at = c.at.Add(41 * time.Minute) // the first call is more than an hour old
	take("a", nil)
	take("a", ErrLimit)

	l.pay(t.Context(), "b", 0.3)
	take("b", nil)
	l.pay(t.Context(), "b", 0.2)
	take("b", ErrLimit)
	c.at = c.at.Add(time.Hour)
	take("b", nil)
}

func TestLedgerWithoutCaps(t *testing.T) {
	l := newLedger(Limits{Calls: -1, Spend: -1}, time.Now)
	for range 2 * DefaultCallsPerHour {
		l.pay(t.Context(), "a", DefaultSpendPerHour)
		if err := l.take(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLedgerForgetsTheLeastRecent(t *testing.T) {
	c := &clock{time.Unix(1_800_000_000, 0)}
	l := newLedger(Limits{Calls: 1}, c.now)
	for i := range maxConversations {
		if err := l.take(t.Context(), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	// Refused, and now the most recently used.
	if err := l.take(t.Context(), "0"); !errors.Is(err, ErrLimit) {
		t.Fatalf("%v, want the limit", err)
	}
	for i := range 10 {
		if err := l.take(t.Context(), fmt.Sprint("more ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.byKey) != maxConversations || l.recent.Len() != maxConversations {
		t.Errorf("%d conversations are remembered, want %d", len(l.byKey), maxConversations)
	}
	if err := l.take(t.Context(), "0"); !errors.Is(err, ErrLimit) {
		t.Errorf("%v, want a recent conversation to be remembered", err)
	}
	if err := l.take(t.Context(), "1"); err != nil {
		t.Errorf("%v, want the least recent conversation to be forgotten", err)
	}
}

func TestLimitsStopCalls(t *testing.T) {
	s, tr := start(t, fakeupstream.Config{})
	for name, test := range map[string]struct {
		limits Limits
		price  Price
		calls  int
	}{
		"calls": {Limits{Calls: 3}, Price{}, 3},
		// A request of over 1,000 tokens costs over half a cent.
		"spend": {Limits{Spend: 0.01}, Price{Input: 5, Cached: 5}, 2},
		"none":  {Limits{Calls: -1, Spend: -1}, Price{Input: 5, Cached: 5}, 6},
	} {
		s.Reset()
		c := New(Options{
			Transport: tr, Limits: test.limits, Prices: func(string) Price { return test.price },
		})
		r := hello(t, s.URL())
		r.Messages[0].Text = strings.Repeat("Hello? ", 600)
		r.Key = "a"
		calls := 0
		for range 6 {
			n, err := counted(t, c, r)
			if err != nil && (!errors.Is(err, ErrLimit) || Reason(err) != "limit") {
				t.Errorf("%s: %v", name, err)
			}
			calls += n
		}
		if calls != test.calls || len(s.Requests()) != test.calls {
			t.Errorf("%s: %d calls counted, %d made, want %d",
				name, calls, len(s.Requests()), test.calls)
		}
		r.Key = "b"
		if _, err := c.Ask(t.Context(), r); err != nil {
			t.Errorf("%s: another conversation: %v", name, err)
		}
	}
}

// A request whose answer did not arrive counts as the most that it may have cost; one that was
// rejected or did not reach the endpoint costs nothing.
func TestLimitsCountCallsWithoutAnAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, _ = io.Copy(io.Discard, r.Body); r.URL.Path {
		case "/hangs/chat/completions":
			<-r.Context().Done()
		case "/ends/chat/completions":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"choices":`)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	for name, test := range map[string]struct {
		url  string
		want error
	}{
		"hangs":        {s.URL + "/hangs", ErrLimit},
		"ends":         {s.URL + "/ends", ErrLimit},
		"fails":        {s.URL + "/fails", ErrUnavailable},
		"cannot reach": {"http://127.0.0.1:1", ErrUnavailable},
	} {
		c := New(Options{
			Limits: Limits{Spend: 0.05}, Prices: func(string) Price { return Price{Output: 10} },
		})
		r := hello(t, test.url)
		var spent Usage
		r.Report = func(e Exchange) { spent.Add(e.Usage) }
		ctx, cancel := context.WithCancel(t.Context())
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) {
				if name == "hangs" {
					cancel()
				}
			},
		})
		if _, err := c.Ask(ctx, r); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v, want that it is unavailable", name, err)
		}
		cancel()
		if spent != (Usage{Calls: 1}) {
			t.Errorf("%s: %+v is reported, want a call of unknown cost", name, spent)
		}
		r.Target.URL.Path = "/fails/chat/completions"
		if _, err := c.Ask(t.Context(), r); !errors.Is(err, test.want) {
			t.Errorf("%s: then %v, want %v", name, err, test.want)
		}
	}
}

// Two model clients that share their limits are counted together.
func TestSharedLimits(t *testing.T) {
	calls, status := 0, http.StatusOK
	first := New(Options{Limits: Limits{Calls: 1}, Transport: counting(&calls, &status)})
	second := New(Options{SharedLimits: first, Transport: counting(&calls, &status)})
	if _, err := first.Ask(t.Context(), hello(t, nowhere)); err != nil {
		t.Fatal(err)
	}
	_, err := second.Ask(t.Context(), hello(t, nowhere))
	if !errors.Is(err, ErrLimit) || calls != 1 {
		t.Errorf("%v after %d calls, want the limit after one", err, calls)
	}
}

// sums are the sums of several processes; if nil, they are unknown.
type sums map[string]float64

func (s sums) Add(_ context.Context, sum string, _ time.Time, amount float64) (float64, bool) {
	if s == nil {
		return 0, false
	}
	s[sum] += amount
	return s[sum], true
}

// Caps apply to all processes that share their sums, and to each one if the sums are unknown.
func TestLimitsOfAllProcesses(t *testing.T) {
	limits := Limits{Calls: 3, Spend: 0.5, Sums: sums{}}
	a, b := newLedger(limits, time.Now), newLedger(limits, time.Now)
	take := func(l *ledger, key string, want error) {
		t.Helper()
		if err := l.take(t.Context(), key); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	take(a, "one", nil)
	take(b, "one", nil)
	take(a, "one", nil)
	take(b, "one", ErrLimit)
	take(a, "one", ErrLimit)
	if calls := limits.Sums.(sums)[callsOf("one")]; calls != 3 {
		t.Errorf("%v calls are counted", calls)
	}
	if calls := b.account("one").calls.At(b.now()); calls != 1 {
		t.Errorf("a process counts %d calls of its own", calls)
	}
	take(a, "two", nil)
	a.pay(t.Context(), "two", 0.3)
	take(b, "two", nil)
	b.pay(t.Context(), "two", 0.2)
	take(a, "two", ErrLimit)
	take(b, "two", ErrLimit)
	a.limits.Sums, b.limits.Sums = sums(nil), sums(nil)
	take(b, "one", nil)
	take(b, "one", nil)
	take(b, "one", ErrLimit)
	take(a, "two", nil)
}

func TestSpentIsPricedByUsage(t *testing.T) {
	s, tr := start(t, fakeupstream.Config{})
	c := New(Options{Transport: tr, Prices: func(model string) Price {
		if model != "gpt-5.1" {
			t.Errorf("the price of %q is asked for", model)
		}
		return Price{Input: 1.25, Cached: 0.125, Output: 10}
	}})
	r := afterBody(t, s.URL(), `{"model":"gpt-5.1","messages":[{"role":"user","content":"`+
		strings.Repeat("Hello? ", 2000)+`"}]}`)
	var spent Usage
	r.Report = func(e Exchange) { spent = e.Usage }
	for range 2 { // the second finds the first in the cache
		if _, err := c.Ask(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	usage := s.Requests()[1].Usage
	if spent.PromptTokens != usage.PromptTokens || spent.CachedTokens != usage.CachedTokens ||
		spent.CompletionTokens != usage.CompletionTokens || usage.CachedTokens == 0 {
		t.Errorf("%+v, want %+v", spent, usage)
	}
	want := (1.25*float64(usage.PromptTokens-usage.CachedTokens) +
		0.125*float64(usage.CachedTokens) + 10*float64(usage.CompletionTokens)) / 1e6
	if math.Abs(spent.Cost-want) > 1e-12 {
		t.Errorf("US$ %v, want %v", spent.Cost, want)
	}
}
