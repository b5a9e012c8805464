package compactor

import (
	"fmt"
	"testing"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/view"
)

var small = settings.Policy{Trigger: 2000, Target: 1000, MinMaskTokens: 60}

// policies are the small one and all that can be added to it.
func policies() map[string]settings.Policy {
	appending, truncating := small, small
	appending.RecordTokens, appending.IndexTokens, appending.WorkingSetTokens = 900, 300, 300
	truncating.RecordTokens, truncating.IndexTokens, truncating.TruncateOver = 900, 300, 300
	truncating.WorkingSetTokens = 300
	strict := truncating
	strict.StrictTurns = true
	return map[string]settings.Policy{
		"small":      small,
		"appending":  appending,
		"truncating": truncating,
		"strict":     strict,
		"derived":    {Auto: true, Target: 700, TruncateOver: 300, MinMaskTokens: 60},
	}
}

func newEngine(store checkpoint.Store) *Engine {
	return New(Options{Policy: small, Counter: byBytes, Store: store})
}

func TestEveryTurnOfRandomConversationsIsValid(t *testing.T) {
	for name, policy := range policies() {
		for seed := range randomSeeds(8) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				everyTurn(t, session(seed, randomTurns(60)), policy)
			})
		}
	}
}

func everyTurn(t *testing.T, msgs []string, policy settings.Policy) {
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	compacted := 0
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		if len(res.FailOpens) > 0 {
			t.Errorf("turn %d: %+v", n, res.FailOpens)
		}
		if res.Sent > res.Raw {
			t.Errorf("turn %d: %d tokens of %d sent", n, res.Sent, res.Raw)
		}
		if got := recount(parse(t, res.Body)); got != res.Sent {
			t.Errorf("turn %d: says %d tokens, sent %d", n, res.Sent, got)
		}
		if res.Folded {
			compacted++
		}
	})
	if compacted == 0 {
		t.Error("nothing was ever folded")
	}
}

func recount(r *view.Request) int {
	n := byteCounter{}.Overhead(r)
	for i := range r.Messages() {
		n += byteCounter{}.Message(&r.Messages()[i])
	}
	return n
}

func TestTwoCredentialsShareNothing(t *testing.T) {
	store := newMemStore()
	in := body(session(5, 60))
	ann := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
	bob := newEngine(store).Compact(t.Context(), parse(t, in), "bob")
	if ann.Reused || bob.Reused || len(bob.Made) == 0 {
		t.Error("one credential was served what another's request made")
	}
}

func TestUnderTheTriggerNothingIsTouched(t *testing.T) {
	in := body(session(1, 2)[:3])
	req := parse(t, in)
	res := newEngine(newMemStore()).Compact(t.Context(), req, "ann")
	if &res.Body[0] != &in[0] || res.Reason != compaction.ReasonFits || res.Masked || res.Folded {
		t.Errorf("%+v", res)
	}
}

// Work must not grow with the square of what a client sends, whether its turns
// can be compacted or not.
func TestHostileConversationsEnd(t *testing.T) {
	sequential(t)
	var open, users, empty []string
	open = append(open, `{"role":"assistant","tool_calls":[{"id":"never"}]}`)
	for i := range 20_000 {
		open = append(
			open,
			`{"role":"user","content":"again and again and again"}`,
			`{"role":"assistant","content":"yes"}`,
		)
		users = append(users, fmt.Sprintf(`{"role":"user","content":"message %d"}`, i))
		empty = append(empty, `{"role":"assistant"}`)
	}
	for name, msgs := range map[string][]string{"open call " +
		"first": open, "users alone": users, "empty": empty} {
		t.Run(name, func(t *testing.T) {
			in := body(msgs)
			res := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
			parse(t, res.Body)
		})
	}
}
