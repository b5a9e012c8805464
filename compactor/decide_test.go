package compactor

import (
	"strings"
	"testing"
)

func TestAPlanIsOneReadableLine(t *testing.T) {
	p := Plan{
		At: 57, Size: 21340, Limit: 20000, Turns: 28, Chosen: MadeSummary,
		Options: []Option{
			{Outcome: MadeNothing, After: 21340, PerTurn: 2134},
			{Outcome: MadeMask, After: 14210, Rewritten: 6032, Loss: 210, PerTurn: 1719},
			{Outcome: MadeSummary, After: 5120, Rewritten: 4010, Loss: 640, PerTurn: 728},
		},
	}
	want := "at 57 messages, 21340 tokens over 20000, 28 more turns expected: stay 2134 a turn (21340 tokens); " +
		"mask 1719 a turn (14210 tokens, 6032 rewritten, 210 lost); fold 728 a turn (5120 tokens, 4010 rewritten, 640 lost) -> summary"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.Cold = true
	if got := p.String(); !strings.Contains(got, "nothing cached") {
		t.Errorf("the line does not say that the cache has expired: %s", got)
	}
}

// Every decision is told, with what was chosen and at what price, and the chosen
// form is never one that was expected to cost more than the present one.
func TestEveryDecisionIsToldAndPays(t *testing.T) {
	for name, policy := range policies() {
		t.Run(name, func(t *testing.T) {
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			msgs := conversation(3, randomTurns(60))
			plans, made := 0, 0
			turns(t, msgs, func(n int) {
				res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
				made += len(res.Made)
				for _, d := range res.Decisions {
					plans++
					checkPlan(t, d.(Plan))
				}
			})
			if plans == 0 || plans > made { // masks may be made where a fold was refused
				t.Errorf("%d decisions are told, %d forms were tried", plans, made)
			}
		})
	}
}

func checkPlan(t *testing.T, p Plan) {
	t.Helper()
	if p.Size <= p.Limit || len(p.Options) == 0 || p.Options[0].Outcome != MadeNothing || p.Options[0].After != p.Size {
		t.Errorf("not a decision about a request that has outgrown its limit: %s", p)
	}
	for _, o := range p.Options {
		if o.Outcome == p.Chosen && o.Outcome != MadeNothing && o.PerTurn > p.Options[0].PerTurn {
			t.Errorf("chosen though it is expected to cost more: %s", p)
		}
	}
}
