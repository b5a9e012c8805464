package compactor

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"killick/chat"
)

// examiner counts how often it is asked, and never passes a record.
type examiner struct{ asked int }

func (e *examiner) Questions([]chat.Message) func(string) (Probe, []string) {
	e.asked++
	return func(string) (Probe, []string) { return Probe{Verdict: HardFail}, nil }
}

// A summary that was rejected is not made again at every call, but once an eighth
// more could be folded; what is sent is what one that remembers nothing sends.
func TestRejectedSummariesAreNotMadeAtEveryTurn(t *testing.T) {
	var msgs []string
	for i := range 400 {
		msgs = append(msgs, fmt.Sprintf(`{"role":"user","content":"Question %d is about handler_%d.go and what it does."}`, i, i),
			fmt.Sprintf(`{"role":"assistant","content":"Answer %d: it serves what router_%d.go sends to it, nothing else."}`, i, i))
	}
	prober := new(examiner)
	fresh := func() *Engine {
		return New(Options{Policy: small, Counter: byBytes, Store: newMemStore(), Prober: prober})
	}
	e := fresh()
	rejected, requests := 0, 0
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		if requests++; slices.Contains(res.Made, MadeRejected) {
			rejected++
		}
	})
	if rejected == 0 || rejected > 40 || prober.asked > 40 {
		t.Errorf("%d of %d requests had a summary rejected, %d were made: want a few", rejected, requests, prober.asked)
	}
	prober.asked = 0
	again := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	if prober.asked != 0 || again.Reason != ReasonNoGain {
		t.Errorf("the same request: %d summaries were made, %s", prober.asked, again.Reason)
	}
	if forgot := fresh().Compact(t.Context(), parse(t, body(msgs)), "ann"); !bytes.Equal(forgot.Body, again.Body) || prober.asked == 0 {
		t.Errorf("one that remembers nothing sends something else, or %d summaries were made", prober.asked)
	}
	prober.asked = 0
	if e.Compact(t.Context(), parse(t, body(msgs)), "bob"); prober.asked == 0 {
		t.Error("what came to nothing for one client was taken to come to nothing for another")
	}
}
