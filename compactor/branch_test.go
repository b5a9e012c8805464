package compactor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// parserMessages are turns that read files, which all fit.
func parserMessages() []string {
	msgs := []string{chattest.Says(view.User, "Make the parser faster.")}
	for i := range 8 {
		msgs = append(msgs, chattest.Exchange("read_file",
			chattest.Object("path", fmt.Sprintf("part%d.go", i)),
			strings.Repeat(fmt.Sprintf("func step%d(input string) error\n", i), 40))...)
	}
	return msgs
}

// formatted is a call that may change each of these files, at length.
func formatted() []string {
	return chattest.Exchange("bash", chattest.Object("command", "gofmt -w ."),
		strings.Repeat("It is done. ", 400))
}

var parserPolicy = settings.Policy{
	Trigger: 4000, Target: 1500, RecordTokens: 4000, MinMaskTokens: 1 << 20, WorkingSetTokens: 400,
}

const mayHaveChanged = "which may have changed the file"

// A form that names a call after the folded turns is not used in a branch of the conversation in
// which that call was not made.
func TestABranchIsShownNoCallOfAnother(t *testing.T) {
	msgs := parserMessages()
	abandoned := slices.Concat(msgs, formatted())
	for i := range 4 {
		msgs = append(msgs, chattest.Exchange("bash",
			chattest.Object("command", fmt.Sprintf("ls dir%d", i)),
			strings.Repeat("nothing ", 200))...)
	}
	e := New(Options{Policy: parserPolicy, Counter: byBytes, Store: newMemStore()})
	res := e.Compact(t.Context(), parse(t, body(abandoned)), "ann")
	if !strings.Contains(string(res.Body), mayHaveChanged) {
		t.Fatalf("no call is named:\n%s", res.Body)
	}
	res = e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	if strings.Contains(string(res.Body), mayHaveChanged) || res.Reused || res.Sent >= res.Raw {
		t.Errorf("the other branch is shown\n%s", res.Body)
	}
}

// Forms of one length that each cover more than the one before end where they would cover messages
// that there are not: such a form is used, and not stored.
func TestAFormCoversNoMoreThanThereIs(t *testing.T) {
	store, msgs := newMemStore(), parserMessages()
	v := layout.New(parse(t, body(msgs)), byteCounter{})
	v.Split()
	policy := parserPolicy.WithDefaults()
	w := &run{
		engine: &Engine{settings: policy}, v: v, res: new(compaction.Outcome),
		conv: store.Conversation("ann", v.Messages, nil),
		job: job{policy: policy, budget: policy.Budget(settings.DefaultWindow, 1, plan.Prices{}),
			count: byteCounter{}},
	}
	var known *checkpoint.Checkpoint
	for range 2 {
		d := &decision{
			work: w, history: &history.History{View: v, Form: known},
			Plan: plan.Plan{At: len(msgs)},
		}
		cp := d.use(&candidate{form: &checkpoint.Checkpoint{Covers: len(msgs)}})
		if cp.Covers != len(msgs) {
			t.Fatalf("it covers %d of %d messages", cp.Covers, len(msgs))
		}
		if got := w.put(t.Context(), cp, known); got != cp {
			t.Error("another form is used")
		}
		known = cp
	}
	if len(store.values) != 1 {
		t.Errorf("%d forms are stored, want the first", len(store.values))
	}
}
