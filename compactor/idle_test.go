package compactor

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/compaction"
	"killick/compactor/plan"
)

// clock is a time that a test sets.
type clock struct{ now time.Time }

func (c *clock) tell() time.Time { return c.now }

// resting has an engine see a conversation that is between the idle mark and the
// trigger twice, a rest apart.
func resting(t *testing.T, rest time.Duration, with string) compaction.Outcome {
	t.Helper()
	policy := small
	policy.IdleAfter = time.Hour
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore(), Now: at.tell})
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
		t.Fatal("no turn of the conversation lies between the mark and the trigger")
	}
	if with != "" {
		in = append(in[:len(in)-1], with...)
		e.Compact(t.Context(), parse(t, in), "ann")
	}
	at.now = at.now.Add(rest)
	res := e.Compact(t.Context(), parse(t, in), "ann")
	checkForm(t, in, res.Body)
	return res
}

func TestAConversationThatRestedIsCompactedEarly(t *testing.T) {
	res := resting(t, time.Hour, "")
	if !res.Masked && !res.Folded || len(res.Decisions) != 1 || !res.Decisions[0].(plan.Plan).Cold {
		t.Errorf("after an hour it is sent as %s, decided by %v", res.Reason, res.Decisions)
	}
	for _, d := range res.Decisions {
		want := "cached for 1h, rested 1h, nothing cached (rested longer)"
		if !strings.Contains(d.String(), want) {
			t.Errorf("the decision does not say %q: %s", want, d)
		}
	}
}

func TestAConversationThatGoesOnIsLeftAlone(t *testing.T) {
	if res := resting(t, time.Hour-time.Second, ""); res.Masked || res.Folded {
		t.Errorf("it rested less than an hour, and is compacted: %v", res.Decisions)
	}
}

func TestALongerRetentionIsWaitedFor(t *testing.T) {
	const asked = `,"prompt_cache_retention":"24h"}`
	if res := resting(t, 23*time.Hour, asked); res.Masked || res.Folded {
		t.Errorf("the provider has it cached still, and it is compacted: %v", res.Decisions)
	}
	if res := resting(t, 24*time.Hour, asked); !res.Masked && !res.Folded {
		t.Errorf("after a day it is sent as %s", res.Reason)
	}
}

func TestVisitsAreBounded(t *testing.T) {
	s := newVisits()
	for i := range mostVisited + 100 {
		s.put(strconv.Itoa(i), visited{})
	}
	if len(s.last) > mostVisited {
		t.Errorf(
			"%d conversations are remembered, at most %d are allowed",
			len(s.last),
			mostVisited,
		)
	}
}
