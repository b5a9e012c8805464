package fleet

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"killick/internal/config"
	"killick/internal/recorded"
)

// asRecorded returns the session of a recorded conversation: each request that its client sent.
func asRecorded(c *recorded.Conversation, owner string) *session {
	s := &session{spelling: spellings[0], owner: owner}
	for n := range c.Messages {
		if n > 0 && c.FromAssistant(n) && !c.FromAssistant(n-1) {
			s.requests = append(s.requests, c.Body(`"model":"gpt-4o"`, n))
		}
	}
	return s
}

// Recorded sessions over two and over five replicas, round robin, change the forwarded prefix at as
// many turns as over one process, with small sizes and with default settings. One of KILLICK_FLEET
// conversations is sent.
func TestRecordedSessions(t *testing.T) {
	slowOnly(t)
	step, err := strconv.Atoi(os.Getenv("KILLICK_FLEET"))
	if err != nil || step < 1 {
		t.Fatalf("KILLICK_FLEET is %q, want a number from 1 on", os.Getenv("KILLICK_FLEET"))
	}
	for _, set := range []struct {
		name  string
		apply func(*config.Config)
	}{
		{"small sizes", func(c *config.Config) {
			c.Compaction.Trigger, c.Compaction.Target = 6000, 3000
		}},
		{"default settings", func(c *config.Config) {
			d := config.Default()
			c.Compaction, c.Models = d.Compaction, d.Models
		}},
	} {
		for _, n := range []int{2, 5} {
			t.Run(fmt.Sprint(set.name, ", ", n), func(t *testing.T) {
				u, shared := newUpstream(t), newStore(t)
				c := settings(u.URL+"/v1", shared.url())
				set.apply(&c)
				replaySessions(t, u, c, n, step)
			})
		}
	}
}

// replaySessions sends recorded sessions to so many replicas and to one process.
func replaySessions(t *testing.T, u *upstream, c config.Config, n, step int) {
	t.Helper()
	all := startAll(t, n, c)
	c.Cache.URL, c.Cache.SecretFile = "", all[0].Config.Cache.SecretPath()
	one := start(t, c)
	var turns, past, changes, alone, differ int
	var times, timesAlone []sent
	owners := map[string]int{}
	for i, conversation := range recorded.Conversations(t) {
		if i%step != step/2 {
			continue
		}
		// Some demonstrations of one task have the same first reply after other instructions. As
		// one client's, the second is the first one with its instructions changed, and nothing of
		// it is cached. Whether a process has noted that already at a small request depends on
		// what it still remembers of it. So each of them is another client's.
		after := conversation.Messages[min(1, len(conversation.Messages)):]
		begins := string(slices.Concat(after[:min(2, len(after))]...))
		owners[begins]++
		s := asRecorded(&conversation, fmt.Sprint("ann", owners[begins]))
		got, want := s.run(t, u, all, nil), s.run(t, u, []*replica{one}, nil)
		turns, past = turns+len(got), past+compacted(want)
		changes, alone = changes+s.changes(t, got), alone+s.changes(t, want)
		times, timesAlone = append(times, got...), append(timesAlone, want...)
		if other := differing(got, want); len(other) > 0 {
			differ += len(other)
			t.Logf("%s: turns %v are forwarded otherwise", conversation.ID, other)
		}
	}
	const p50, p99 = 0.5, 0.99
	t.Logf("%d turns, %d compacted: %d prefix changes, one process %d; %d forwarded otherwise; "+
		"added p50 %v, p99 %v, one process %v, %v; adopted %v, conflicts %v, waited %.2f ms a "+
		"request, %v time-outs", turns, past, changes, alone, differ, slowest(times, p50),
		slowest(times, p99), slowest(timesAlone, p50), slowest(timesAlone, p99),
		totals(t, all, "shared_store_adopted_total"),
		totals(t, all, "shared_store_conflicts_total"),
		1000*totals(t, all, "shared_store_waited_seconds_total")/float64(max(turns, 1)),
		totals(t, all, "shared_store_timeouts_total"))
	if changes != alone || differ > 0 {
		t.Error("replicas forward otherwise than one process")
	}
}
