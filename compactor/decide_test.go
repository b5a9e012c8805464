package compactor

import (
	"testing"

	"killick/compactor/plan"
)

// Every decision is reported, with what was chosen and at what price, and the chosen
// form is never one that was expected to cost more than the present one.
func TestEveryDecisionIsReportedAndPays(t *testing.T) {
	sequential(t)
	for name, policy := range policies() {
		t.Run(name, func(t *testing.T) {
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			msgs := session(3, randomTurns(60))
			plans, made := 0, 0
			turns(t, msgs, func(n int) {
				res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
				made += len(res.Made)
				for _, d := range res.Decisions {
					plans++
					checkPlan(t, d.(plan.Plan))
				}
			})
			if plans == 0 || plans > made { // masks may be made where a fold was refused
				t.Errorf("%d decisions are reported, %d forms were tried", plans, made)
			}
		})
	}
}

func checkPlan(t *testing.T, p plan.Plan) {
	t.Helper()
	if p.Size <= p.Limit || len(p.Options) == 0 || p.Options[0].Outcome != plan.Stay ||
		p.Options[0].After != p.Size {
		t.Errorf("not a decision about a request that has outgrown its limit: %s", p)
	}
	for _, o := range p.Options {
		if o.Outcome == p.Chosen && o.Outcome != plan.Stay && o.PerTurn > p.Options[0].PerTurn {
			t.Errorf("chosen though it is expected to cost more: %s", p)
		}
	}
}
