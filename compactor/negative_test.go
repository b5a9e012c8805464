package compactor

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/plan"
	"killick/view"
)

// A summary that was rejected is not made again at every turn, but once an eighth more can be
// folded. The requests are the same as those of an engine without memory.
func TestRejectedSummariesAreNotMadeAtEveryTurn(t *testing.T) {
	var msgs []string
	for i := range 400 {
		msgs = append(
			msgs,
			fmt.Sprintf(
				`{"role":"user","content":"Question %d is about handler_%d.go and what it does."}`,
				i,
				i,
			),
			fmt.Sprintf(
				`{"role":"assistant","content":"Answer %d: it serves what router_%d.go sends to `+
					`it, nothing else."}`,
				i,
				i,
			),
		)
	}
	fresh := func() *Engine {
		return New(Options{Policy: uncovered(small), Counter: byBytes, Store: newMemStore()})
	}
	e, remembering := fresh(), &view.Parser{}
	parse := func(t *testing.T, body []byte) *view.Request {
		t.Helper()
		req, err := remembering.Parse(chat.Format, "ann", body)
		if err != nil {
			t.Fatal(err)
		}
		return req
	}
	rejected, requests, plans := 0, 0, 0
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		plans += len(res.Decisions)
		if requests++; slices.Contains(res.Made, plan.RejectedCoverage) {
			rejected++
		}
	})
	if rejected == 0 || rejected > 40 || plans > 40 {
		t.Errorf(
			"%d of %d requests had a summary rejected, %d were made: want a few",
			rejected,
			requests,
			plans,
		)
	}
	again := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	if len(again.Decisions) != 0 || again.Reason != compaction.ReasonNoGain {
		t.Errorf("the same request: %d summaries were made, %s", len(again.Decisions), again.Reason)
	}
	forgetful, err := chat.Parse(body(msgs))
	if err != nil {
		t.Fatal(err)
	}
	forgot := fresh().Compact(t.Context(), forgetful, "ann")
	if !bytes.Equal(forgot.Body, again.Body) || len(forgot.Decisions) == 0 {
		t.Errorf(
			"one that remembers nothing sends something else, or %d summaries were made",
			len(forgot.Decisions),
		)
	}
}
