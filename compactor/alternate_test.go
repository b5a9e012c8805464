package compactor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"killick/compaction"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// alternates reports whether a request obeys the rule of Mistral's chat templates: apart from
// instructions, calls and results, messages of the user and the assistant alternate, and the user's
// is first.
func alternates(r *view.Request) bool {
	users := true
	for i := range r.Messages() {
		m := &r.Messages()[i]
		if m.Role().Instructs() || m.Role().Result() || m.HasCalls() {
			continue
		}
		if (m.Role() == view.User) != users {
			return false
		}
		users = !users
	}
	return true
}

// alternating is a random conversation that such a template takes: calls stand before an answer,
// after it, in the middle of nothing.
func alternating(seed uint64, n int) []string {
	g := chattest.Generator{Rand: rand.New(rand.NewPCG(seed, 11))}
	g.Add(`{"role":"system","content":"You are an agent."}`)
	for i := range n {
		g.User(fmt.Sprintf("Step %d: please mend handler_%d.go, always with a test.", i, g.IntN(9)))
		for range g.IntN(4) {
			g.Calls(1 + g.IntN(2))
		}
		g.Add(`{"role":"assistant","content":"I have looked at ` +
			`it: ` + strings.Repeat("the handler is wrong. ", 1+g.IntN(20)) + `"}`)
		for range g.IntN(3) * g.IntN(2) * g.IntN(4) {
			g.Calls(1 + g.IntN(2))
		}
		if g.IntN(5) == 0 {
			g.Add(`{"role":"developer","content":"Be brief."}`)
		}
	}
	return g.Messages
}

// A strict template accepts every form of a conversation that it accepted as received: with masks,
// folds and truncated outputs, after an idle time, and after a refusal.
func TestStrictTemplatesTakeWhatTheyTook(t *testing.T) {
	all := policies()
	resting := small
	resting.IdleAfter = time.Minute
	all["resting"] = resting
	for name, policy := range all {
		if testing.Short() && name != "small" && name != "resting" {
			continue // the race detector finds nothing else in these
		}
		policy.StrictTurns = true
		for seed := range randomSeeds(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				alternatesAlways(t, alternating(seed, 14), policy)
			})
		}
	}
}

func alternatesAlways(t *testing.T, msgs []string, policy settings.Policy) {
	now := time.Unix(1e9, 0)
	e := New(
		Options{
			Policy:  policy,
			Counter: byBytes,
			Store:   newMemStore(),
			Now:     func() time.Time { return now },
		},
	)
	folded, within := 0, 0
	hold := func(in []byte, what string, res compaction.Outcome) {
		out := parse(t, res.Body)
		if !alternates(out) {
			t.Errorf("%d messages, %s (%v): refused", len(parse(t, in).Messages()), what, res.Made)
		}
		checkForm(t, in, res.Body)
		if got := recount(out); got != res.Sent {
			t.Errorf("says %d tokens, sent %d", res.Sent, got)
		}
		if res.Folded {
			folded++
			if afterCalls(out) {
				within++
			}
		}
	}
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		if !alternates(parse(t, in)) {
			t.Fatalf("what comes is refused: %d messages", n)
		}
		now = now.Add(2 * time.Minute)
		res := e.Compact(t.Context(), parse(t, in), "ann")
		hold(in, "the form", res)
		if n%15 == 0 {
			hold(
				in,
				"the form after a refusal",
				e.Shrink(
					t.Context(),
					parse(t, in),
					"bob",
					compaction.Overflow{Window: 1500, Sent: res.Sent, Try: 1},
				),
			)
		}
	})
	if folded == 0 || within == 0 {
		t.Errorf("%d forms had a record, %d of them after calls: nothing is shown", folded, within)
	}
}

// afterCalls reports whether the first turn is the user's and follows calls.
func afterCalls(r *view.Request) bool {
	called := false
	for i := range r.Messages() {
		m := &r.Messages()[i]
		if !m.Role().Instructs() && !m.Role().Result() && !m.HasCalls() {
			return called
		}
		called = called || m.HasCalls()
	}
	return false
}
