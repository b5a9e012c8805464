package compactor

import (
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/summary"
	"killick/view"
)

// Instructions among the turns stay where they are: after what was kept from before them, and
// before the record of the turns around them, however many records there are.
func TestInstructionsAmongTheTurnsKeepTheirPlace(t *testing.T) {
	sequential(t)
	policy := small
	policy.RecordTokens = 600
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	msgs := slices.Insert(session(3, 150), 2, chattest.Says(view.User, "The task."),
		chattest.Says(view.System, "First instruction."))
	msgs = slices.Insert(msgs, len(msgs)/2, chattest.Says(view.System, "Second instruction."))
	seen := 0
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		if !res.Folded {
			return
		}
		out := parse(t, res.Body).Messages()
		place := func(text string) int {
			return slices.IndexFunc(out, func(m view.Message) bool {
				return strings.Contains(m.Text(), text)
			})
		}
		task, first, second := place("The task."), place("First instruction."),
			place("Second instruction.")
		records := recordsAt(out)
		if task < 0 || first < task || len(records) > 0 && first > records[0] {
			t.Fatalf("turn %d: the task is at %d, the first instruction at %d, records at %v",
				n, task, first, records)
		}
		if second > 0 && second < records[len(records)-1] {
			seen++
			if second < first {
				t.Fatalf("turn %d: the second instruction is at %d, the first at %d",
					n, second, first)
			}
		}
	})
	if seen == 0 {
		t.Error("the second instruction was never among the folded turns")
	}
}

// recordsAt returns where the records stand.
func recordsAt(msgs []view.Message) (at []int) {
	for i := range msgs {
		if m := &msgs[i]; m.Role() == view.User && strings.HasPrefix(m.Text(), summary.Mark) {
			at = append(at, i)
		}
	}
	return at
}
