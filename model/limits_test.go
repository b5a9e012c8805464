package model

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"killick/internal/upstreamtest"
)

// clock is a clock that stands until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestLedger(t *testing.T) {
	c := &clock{time.Date(2026, 3, 1, 11, 58, 0, 0, time.UTC)}
	l := newLedger(Limits{Calls: 3, Spend: 0.5}, c.now)
	take := func(key string, want error) {
		t.Helper()
		if err := l.take(key); !errors.Is(err, want) {
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

	l.pay("b", 0.3)
	take("b", nil)
	l.pay("b", 0.2)
	take("b", ErrLimit)
	c.at = c.at.Add(time.Hour)
	take("b", nil)
}

func TestLedgerWithoutCaps(t *testing.T) {
	l := newLedger(Limits{Calls: -1, Spend: -1}, time.Now)
	for range 2 * DefaultCallsPerHour {
		l.pay("a", DefaultSpendPerHour)
		if err := l.take("a"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLedgerForgetsTheLeastRecent(t *testing.T) {
	c := &clock{time.Unix(1_800_000_000, 0)}
	l := newLedger(Limits{Calls: 1}, c.now)
	for i := range mostConversations {
		if err := l.take(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.take("0"); !errors.Is(err, ErrLimit) { // refused, and the most recent from now on
		t.Fatalf("%v, want the limit", err)
	}
	for i := range 10 {
		if err := l.take(fmt.Sprint("more ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.byKey) != mostConversations || l.recent.Len() != mostConversations {
		t.Errorf("%d conversations are remembered, want %d", len(l.byKey), mostConversations)
	}
	if err := l.take("0"); !errors.Is(err, ErrLimit) {
		t.Errorf("%v, want a recent conversation to be remembered", err)
	}
	if err := l.take("1"); err != nil {
		t.Errorf("%v, want the least recent conversation to be forgotten", err)
	}
}

func TestLimitsStopCalls(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}})
	for name, test := range map[string]struct {
		limits Limits
		price  Price
		calls  int
	}{
		"calls": {Limits{Calls: 3}, Price{}, 3},
		"spend": {Limits{Spend: 0.01}, Price{Input: 5}, 2}, // a call has over 1,000 tokens, so it costs over half a cent
		"none":  {Limits{Calls: -1, Spend: -1}, Price{Input: 5}, 6},
	} {
		s.Reset()
		c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t), Limits: test.limits, Prices: func(string) Price { return test.price }})
		var spent Spent
		for range 6 {
			w, err := c.Statements(t.Context(), Call{Key: "a"}, oneTurn(t))
			if err != nil && (!errors.Is(err, ErrLimit) || Reason(err) != "limit") {
				t.Errorf("%s: %v", name, err)
			}
			spent.Add(w.Spent)
		}
		if spent.Calls != test.calls || len(s.Requests()) != test.calls {
			t.Errorf("%s: %d calls counted, %d made, want %d", name, spent.Calls, len(s.Requests()), test.calls)
		}
		if _, err := c.Statements(t.Context(), Call{Key: "b"}, oneTurn(t)); err != nil {
			t.Errorf("%s: another conversation: %v", name, err)
		}
	}
}

func TestSpentIsPricedByUsage(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}})
	tr := transport(t)
	c := New(Options{Transport: tr, Prices: func(model string) Price {
		if model != "gpt-5.1" {
			t.Errorf("the price of %q is asked for", model)
		}
		return Price{Input: 1.25, Cached: 0.125, Output: 10}
	}})
	prefix := body(tools, session(60)...)
	post(t, s, tr, prefix)
	w, err := c.Statements(t.Context(), client(s, prefix), Span{})
	if err != nil {
		t.Fatal(err)
	}
	usage := s.Requests()[1].Usage
	want := (1.25*float64(usage.PromptTokens-usage.CachedTokens) + 0.125*float64(usage.CachedTokens) + 10*float64(usage.CompletionTokens)) / 1e6
	if w.Spent.PromptTokens != usage.PromptTokens || w.Spent.CachedTokens != usage.CachedTokens || w.Spent.CompletionTokens != usage.CompletionTokens || usage.CachedTokens == 0 {
		t.Errorf("%+v, want %+v", w.Spent, usage)
	}
	if math.Abs(w.Spent.Cost-want) > 1e-12 {
		t.Errorf("US$ %v, want %v", w.Spent.Cost, want)
	}
}
