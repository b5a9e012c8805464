package compactor

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// An output that repeats one shortly before it refers to that one only where it is to be seen: an
// agent that fetches again what a form hides gets it.
func TestARepeatOfWhatIsHiddenIsWhole(t *testing.T) {
	procedure := strings.Repeat("Set the field if the amount is over 400.\n", 40)
	references, answered := 0, 0
	for between := range 6 {
		e := New(Options{Counter: byBytes, Store: newMemStore(), Policy: settings.Policy{
			Trigger: 2500, Target: 900, TruncateOver: 1200, MinMaskTokens: 60,
		}})
		msgs := []string{chattest.Says(view.User, "Settle the claim by the procedure.")}
		use := func(name, arguments, output string) {
			id := fmt.Sprint(name, len(msgs))
			msgs = append(msgs, chattest.Call(id, name, arguments), chattest.Result(id, output))
			said := parse(t, e.Compact(t.Context(), parse(t, body(msgs)), "ann").Body).Messages()
			for i := range said {
				if strings.HasPrefix(said[i].Text(), "[Word for word") {
					references++
					if !strings.Contains(sent(said), procedure) {
						t.Errorf("%d between, %d messages: message %d refers to what is not there",
							between, len(msgs), i)
					}
				}
			}
			if name == "get_procedure" && strings.Contains(said[len(said)-1].Text(), procedure) {
				answered++
			}
		}
		for range 6 {
			use("get_procedure", `{"id":"CL-7"}`, procedure)
			for i := range between {
				use("get_document", fmt.Sprintf(`{"n":%d}`, 100*len(msgs)+i),
					strings.Repeat(fmt.Sprintf("Line of document %d.\n", len(msgs)), 30))
			}
		}
	}
	if references == 0 || answered == 0 {
		t.Errorf("%d references, %d answers: both should occur", references, answered)
	}
}

// An agent that fetches a procedure whenever it does not see it fetches it twice: the second one is
// sent whole, also near the first, and records quote it from then on.
func TestRecordsQuoteARepeatOfWhatIsHidden(t *testing.T) {
	procedure := strings.Repeat("Set the field if the amount is over 400.\n", 40)
	quoted := strings.ReplaceAll(strings.TrimSpace(procedure), "\n", "\n  | ")
	for between := 1; between < 8; between++ {
		e := New(Options{Counter: byBytes, Store: newMemStore(), Policy: settings.Policy{
			Trigger: 2500, Target: 900, TruncateOver: 1200, MinMaskTokens: 60,
		}})
		msgs := []string{chattest.Says(view.User, "Settle the claim by the procedure.")}
		seen, fetched := false, 0
		use := func(name, arguments, output string) {
			id := fmt.Sprint(name, len(msgs))
			msgs = append(msgs, chattest.Call(id, name, arguments), chattest.Result(id, output))
			out := e.Compact(t.Context(), parse(t, body(msgs)), "ann").Body
			text := sent(parse(t, out).Messages())
			seen = strings.Contains(text, procedure) || strings.Contains(text, quoted)
		}
		for len(msgs) < 80 {
			if !seen {
				fetched++
				use("get_procedure", `{"id":"CL-7"}`, procedure)
			}
			for range between {
				use("get_document", fmt.Sprintf(`{"n":%d}`, len(msgs)),
					strings.Repeat(fmt.Sprintf("Line of document %d.\n", len(msgs)), 30))
			}
		}
		if fetched != 2 {
			t.Errorf("%d between: fetched %d times, want 2", between, fetched)
		}
	}
}

// sent returns the texts of messages.
func sent(messages []view.Message) string {
	var all strings.Builder
	for i := range messages {
		all.WriteString(messages[i].Text() + "\n")
	}
	return all.String()
}
