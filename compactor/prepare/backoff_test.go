package prepare

import (
	"fmt"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/compactor/trigger"
	"killick/internal/chattest"
)

func TestBackoffsAreBounded(t *testing.T) {
	b := newBackoffs()
	name := func(i int) func(int) string {
		return func(n int) string { return fmt.Sprint(i, "/", n) }
	}
	for i := range maxBackoffs + 10 {
		b.set(backoff{name: name(i)(3), state: cooling, until: i})
	}
	if b.order.Len() != maxBackoffs || len(b.known) != maxBackoffs {
		t.Errorf("%d remembered", b.order.Len())
	}
	if b.get(9, name(0)) != nil || b.get(2, name(50)) != nil {
		t.Error("a forgotten backoff, or one of a longer conversation, was found")
	}
	one := b.get(9, name(50))
	if one == nil || one.at(50, 0) != cooling || one.at(51, 0) != ready ||
		one.on(checkpoint.Base{Covers: 1}).at(1, 0) != ready {
		t.Errorf("backoff %+v", one)
	}
	b.set(backoff{name: name(50)(3), state: exhausted, until: 7})
	if one = b.get(9, name(50)); one.at(1e9, 7) != exhausted || one.at(0, 8) != ready {
		t.Errorf("backoff %+v", one)
	}
}

// The backoff after a preparation follows from its outcome, ends only by growth, and ends
// immediately with a new form.
func TestEveryOutcomeBacksOff(t *testing.T) {
	policy := settings.Policy{Trigger: 40_000, Target: 15_000}.WithDefaults()
	budget := policy.Budget(settings.DefaultWindow, 1, plan.Prices{})
	v := layout.New(chattest.Request(t, chattest.Body(chattest.Session(1, 30))), chattest.Counter{})
	v.Split()
	foldable := checkpoint.FoldableTokens(v, nil)
	const size = 30_000
	grown, more := trigger.PrepareAgain(budget, size), trigger.Retry(budget, foldable)
	for outcome, want := range map[string]state{
		Prepared: cooling, MasksSuffice: cooling, WouldNotPay: cooling, RejectedProbe: cooling,
		RejectedUnprobed: cooling, RejectedUnverified: cooling, RejectedVerifier: cooling,
		RejectedEmpty: cooling, RejectedInvalid: cooling, ModelFailed: cooling,
		NotStored: cooling, Second: cooling, Elsewhere: cooling, Cancelled: cooling,
		Panic: cooling, NothingToGain: exhausted,
	} {
		var reported []string
		b := New(Options{Report: func(r Report) { reported = append(reported, r.Outcome) }}, nil)
		p := preparation{
			Task:    Task{View: v, Budget: budget, Policy: policy},
			options: &b.Options, backoffs: b.backoffs, size: size, backoff: backoff{name: "7"},
		}
		p.end(outcome, nil)
		one := b.backoffs.get(9, func(n int) string { return fmt.Sprint(n) })
		if one == nil || one.state != want {
			t.Errorf("%s: %+v, want state %d", outcome, one, want)
			continue
		}
		byFolds := map[state]state{cooling: ready, exhausted: exhausted}[want]
		for _, g := range []struct {
			size, foldable int
			want           state
		}{
			{size, foldable, want}, {grown, more, want},
			{grown + 1, more + 1, ready}, {grown + 1, more, byFolds},
		} {
			if got := one.at(g.size, g.foldable); got != g.want {
				t.Errorf("%s, at %d tokens, %d of them foldable: state %d, want %d",
					outcome, g.size, g.foldable, got, g.want)
			}
		}
		if got := one.on(checkpoint.Base{Fold: 3}).at(0, 0); got != ready {
			t.Errorf("%s, with another form: state %d", outcome, got)
		}
		if len(reported) != 1 || reported[0] != outcome {
			t.Errorf("reported %v", reported)
		}
	}
}
