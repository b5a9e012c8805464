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
