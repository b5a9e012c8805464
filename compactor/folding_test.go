package compactor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/summary"
)

// uncovered is a policy by which no record holds enough.
func uncovered(p settings.Policy) settings.Policy {
	p.CheckCoverage, p.MinCoverage = true, 2
	return p
}

func TestTooLittleCoverageKeepsTheTurns(t *testing.T) {
	sequential(t)
	e := New(Options{Policy: uncovered(small), Counter: byBytes, Store: newMemStore()})
	msgs := session(7, 60)
	rejected := false
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		if res.Folded || slices.Contains(res.Made, plan.Fold) {
			t.Fatalf("turn %d: a summary that held too little was used", n)
		}
		rejected = rejected || slices.Contains(res.Made, plan.RejectedCoverage)
	})
	if !rejected {
		t.Error("no summary was ever rejected")
	}
}

// Over the window the upstream would refuse whatever is not folded: there a
// summary that holds too little is used, and reported as that. Where masks are
// enough they are used alone. A request that nobody has seen before gets the form
// that it has turn by turn.
func TestRejectedSummariesAreTheLastResort(t *testing.T) {
	windows := map[string]settings.Window{"*": {Tokens: 2800, Reserve: 100}}
	reads := []string{`{"role":"user","content":"Read all of it."}`}
	for i := range 24 {
		reads = append(
			reads,
			chattest.Call("a", "read", fmt.Sprintf(`{"path":"part%d.txt"}`, i)),
			chattest.Result("a", strings.Repeat("words ", 150)),
		)
	}
	for name, c := range map[string]struct {
		msgs       []string
		maskTokens int
		used       bool
	}{
		"nothing else fits": {reads, 100_000, true},
		"masks are enough":  {reads, 60, false},
		"many kinds":        {session(7, 24), 100_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			const window, steady = 2700, 256 // what a decision may count more
			open := func() *Engine {
				policy := uncovered(
					settings.Policy{
						Trigger:       2000,
						Target:        1000,
						MinMaskTokens: c.maskTokens,
						Windows:       windows,
					},
				)
				return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			}
			e, used := open(), false
			turns(t, c.msgs, func(n int) {
				in := body(c.msgs[:n])
				res := e.Compact(t.Context(), parse(t, in), "ann")
				checkForm(t, in, res.Body)
				made := slices.Contains(res.Made, plan.FoldUnproven)
				loud := slices.ContainsFunc(
					res.FailOpens,
					func(f compaction.FailOpen) bool { return f.Reason == "summary_unproven" },
				)
				if made != loud || res.Folded && res.Probe == nil ||
					made && (res.Sent > window || res.Raw <= window-steady) {
					t.Errorf(
						"turn %d: made %v, %v, probe %+v, %d of %d tokens",
						n,
						res.Made,
						res.FailOpens,
						res.Probe,
						res.Sent,
						res.Raw,
					)
				}
				cold := open().Compact(t.Context(), parse(t, in), "ann")
				if !bytes.Equal(cold.Body, res.Body) {
					t.Errorf("turn %d: another form for a request that was never seen", n)
				}
				used = used || made
			})
			if used != c.used {
				t.Errorf("a rejected summary was used: %t, want %t", used, c.used)
			}
		})
	}
}

// A conversation whose first request comes after the first fold: the record of
// that fold holds no task, so the next one must.
func TestTheTaskMayComeLate(t *testing.T) {
	var msgs []string
	for i := range 60 {
		if i == 25 {
			msgs = append(msgs, `{"role":"user","content":"Rename the widget:\n  to gadget."}`)
		}
		msgs = append(
			msgs,
			fmt.Sprintf(
				`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",`+
					`"function":{"name":"read","arguments":"{\"path\":\"f%[1]d.go\"}"}}]}`,
				i,
			),
			fmt.Sprintf(
				`{"role":"tool","tool_call_id":"c%d","content":%q}`,
				i,
				strings.Repeat(fmt.Sprintf("line of f%d.go ", i), 100),
			),
		)
	}
	e := New(
		Options{
			Policy: settings.Policy{
				Trigger:      5000,
				Target:       2500,
				RecordTokens: 1200,
				ExcludeTools: []string{"read"},
			},
			Counter: byBytes,
			Store:   newMemStore(),
		},
	)
	records := 0
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		records = max(records, bytes.Count(res.Body, []byte(summary.Mark)))
	})
	if records < 2 {
		t.Errorf("%d records at most: no second one with the task", records)
	}
}
