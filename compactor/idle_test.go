package compactor

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/compaction"
	"killick/compactor/layout"
	"killick/compactor/plan"
)

// clock is a time that a test sets.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

// afterIdle has an engine compact a conversation between the idle threshold and the trigger twice,
// this long apart.
func afterIdle(t *testing.T, idle time.Duration, with string) compaction.Outcome {
	t.Helper()
	policy := small
	policy.IdleAfter = time.Hour
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore(), Now: at.read})
	var in []byte
	for seed := uint64(0); in == nil && seed < 50; seed++ {
		msgs := session(seed, 20)
		turns(t, msgs, func(n int) {
			if b := body(msgs[:n]); in == nil {
				if res := e.Compact(t.Context(), parse(t, b), "ann"); res.Raw > 1700 &&
					res.Raw <= 2000 {
					in = b
				}
			}
		})
	}
	if in == nil {
		t.Fatal("no turn of the conversation is between the thresholds")
	}
	if with != "" {
		in = append(in[:len(in)-1], with...)
		e.Compact(t.Context(), parse(t, in), "ann")
	}
	at.now = at.now.Add(idle)
	res := e.Compact(t.Context(), parse(t, in), "ann")
	checkForm(t, in, res.Body)
	if res.ColdTokens != policy.Target.Tokens(res.Raw) {
		t.Errorf("%d tokens reported for an expired cache, want %d", res.ColdTokens,
			policy.Target.Tokens(res.Raw))
	}
	return res
}

func TestAnIdleConversationIsCompactedEarly(t *testing.T) {
	res := afterIdle(t, time.Hour, "")
	if !res.Masked && !res.Folded || len(res.Decisions) != 1 || !res.Decisions[0].(plan.Plan).Cold {
		t.Errorf("after an hour it is sent as %s, decided by %v", res.Reason, res.Decisions)
	}
	for _, d := range res.Decisions {
		want := "cached for 1h, idle for 1h, nothing cached (idle for longer)"
		if !strings.Contains(d.String(), want) {
			t.Errorf("the decision does not say %q: %s", want, d)
		}
	}
}

func TestAConversationThatContinuesIsLeftAlone(t *testing.T) {
	if res := afterIdle(t, time.Hour-time.Second, ""); res.Masked || res.Folded {
		t.Errorf("idle for less than an hour, yet compacted: %v", res.Decisions)
	}
}

func TestALongerRetentionIsWaitedFor(t *testing.T) {
	const asked = `,"prompt_cache_retention":"24h"}`
	if res := afterIdle(t, 23*time.Hour, asked); res.Masked || res.Folded {
		t.Errorf("the provider has it cached still, and it is compacted: %v", res.Decisions)
	}
	if res := afterIdle(t, 24*time.Hour, asked); !res.Masked && !res.Folded {
		t.Errorf("after a day it is sent as %s", res.Reason)
	}
}

// The provider has a conversation cached still whose cache was kept alive, and another process that
// shares the store knows.
func TestACacheKeptAliveDoesNotExpire(t *testing.T) {
	policy, store := small, newMemStore()
	policy.IdleAfter = time.Hour
	in := body(session(1, 20)[:21])
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	engine := func() *Engine {
		return New(Options{Policy: policy, Counter: byBytes, Store: store, Now: at.read})
	}
	first := engine()
	out := first.Compact(t.Context(), parse(t, in), "ann")
	if out.CacheUsed == nil {
		t.Fatalf("nothing notes that its cache is used: %s", out.Reason)
	}
	at.now = at.now.Add(59 * time.Minute)
	out.CacheUsed(t.Context())
	at.now = at.now.Add(59 * time.Minute)
	for name, e := range map[string]*Engine{"the same process": first, "another one": engine()} {
		if isCold(t, e, in) {
			t.Errorf("%s takes a cache for lost that was used 59 minutes ago", name)
		}
	}
	at.now = at.now.Add(2 * time.Hour)
	if !isCold(t, engine(), in) {
		t.Error("a cache that was used two hours ago is not taken for lost")
	}
}

// isCold reports whether the provider's cache of a request's conversation has expired.
func isCold(t *testing.T, e *Engine, in []byte) bool {
	t.Helper()
	req := parse(t, in)
	v := layout.New(req, byBytes("m", ""))
	v.Split()
	w := run{engine: e, v: v, res: new(compaction.Outcome), job: job{who: "ann",
		policy: e.settings}, conv: e.store.Conversation("ann", v.Messages, req.Memory())}
	// When the conversation was last seen is put back, so that the question changes nothing.
	name := w.conv.Name(1)
	before, epoch := e.lastSeen.get(name)
	stored, err := w.conv.LastSeen().Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cold := w.updateLastSeen(t.Context())
	e.lastSeen.put(name, before, epoch)
	if err := w.conv.LastSeen().Put(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	return cold
}

func TestLastSeenIsBounded(t *testing.T) {
	s := newLastSeenIndex()
	for i := range maxSeenConversations + 100 {
		s.put(strconv.Itoa(i), seenTimes{}, 0)
	}
	if len(s.last) > maxSeenConversations {
		t.Errorf(
			"%d conversations are remembered, at most %d are allowed",
			len(s.last),
			maxSeenConversations,
		)
	}
}
