package compactor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
)

// proberFunc is a Prober that asks the same of every record.
type proberFunc func(record string) (Probe, []string)

func (f proberFunc) Questions([]chat.Message) func(string) (Probe, []string) { return f }

func TestHardFailKeepsTheTurns(t *testing.T) {
	fail := proberFunc(func(string) (Probe, []string) { return Probe{Verdict: HardFail, Score: 0.1}, nil })
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore(), Prober: fail})
	msgs := conversation(7, 60)
	rejected := false
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		if res.Folded || slices.Contains(res.Made, MadeSummary) {
			t.Fatalf("turn %d: a summary that failed its probe was used", n)
		}
		rejected = rejected || slices.Contains(res.Made, MadeRejected)
	})
	if !rejected {
		t.Error("no summary was ever rejected")
	}
}

// Over the window the upstream would refuse whatever is not folded: there a
// summary that failed its probe is used, and reported as failed. Where masks are
// enough they are used alone. A request that nobody has seen before gets the form
// that it has turn by turn.
func TestFailedSummariesAreTheLastResort(t *testing.T) {
	fail := proberFunc(func(string) (Probe, []string) { return Probe{Verdict: HardFail, Score: 0.1}, nil })
	windows := map[string]Window{"*": {Tokens: 2800, Reserve: 100}}
	reads := []string{`{"role":"user","content":"Read all of it."}`}
	for i := range 24 {
		reads = append(reads, todoCall("a", "read", fmt.Sprintf(`{"path":"part%d.txt"}`, i)),
			`{"role":"tool","tool_call_id":"a","content":`+string(chat.AppendQuoted(nil, strings.Repeat("words ", 150)))+`}`)
	}
	for name, c := range map[string]struct {
		msgs       []string
		maskTokens int
		used       bool
	}{
		"nothing else fits": {reads, 100_000, true},
		"masks are enough":  {reads, 60, false},
		"many kinds":        {conversation(7, 24), 100_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			const window, steady = 2700, 256 // what a decision may count more
			open := func() *Engine {
				policy := Policy{Trigger: 2000, Target: 1000, MinMaskTokens: c.maskTokens, Windows: windows}
				return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore(), Prober: fail})
			}
			e, used := open(), false
			turns(t, c.msgs, func(n int) {
				in := body(c.msgs[:n])
				res := e.Compact(t.Context(), parse(t, in), "ann")
				checkForm(t, in, res.Body)
				made := slices.Contains(res.Made, MadeUnproven)
				loud := slices.ContainsFunc(res.FailOpens, func(f FailOpen) bool { return f.Reason == "summary_unproven" })
				if made != loud || res.Folded && res.Probe.Verdict != HardFail || made && (res.Sent > window || res.Raw <= window-steady) {
					t.Errorf("turn %d: made %v, %v, probe %+v, %d of %d tokens", n, res.Made, res.FailOpens, res.Probe, res.Sent, res.Raw)
				}
				if cold := open().Compact(t.Context(), parse(t, in), "ann"); !bytes.Equal(cold.Body, res.Body) {
					t.Errorf("turn %d: another form for a request that was never seen", n)
				}
				used = used || made
			})
			if used != c.used {
				t.Errorf("a failed summary was used: %t, want %t", used, c.used)
			}
		})
	}
}

func TestMissingFactsAreAddedWordForWord(t *testing.T) {
	const fact = "the port of the staging database is 54329"
	asks := proberFunc(func(record string) (Probe, []string) {
		if strings.Contains(record, fact) {
			return Probe{Verdict: Pass, Score: 1}, nil
		}
		return Probe{Verdict: HardFail}, []string{fact}
	})
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore(), Prober: asks})
	res := e.Compact(t.Context(), parse(t, body(conversation(7, 60))), "ann")
	if !res.Folded || !bytes.Contains(res.Body, []byte(fact)) || res.Probe.Verdict != Pass {
		t.Errorf("folded %t, probe %+v", res.Folded, res.Probe)
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
		msgs = append(msgs, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"f%[1]d.go\"}"}}]}`, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, strings.Repeat(fmt.Sprintf("line of f%d.go ", i), 100)))
	}
	e := New(Options{Policy: Policy{Trigger: 5000, Target: 2500, RecordTokens: 1200, ExcludeTools: []string{"read"}}, Counter: byBytes, Store: newMemStore()})
	records := 0
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		records = max(records, bytes.Count(res.Body, []byte(recordMark)))
	})
	if records < 2 {
		t.Errorf("%d records at most: no second one told of the task", records)
	}
}
