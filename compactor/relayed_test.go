package compactor

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// A result that ends with what a person typed is neither masked nor truncated: the words would go.
func TestResultsWithAPersonsWordsStay(t *testing.T) {
	const words = "\n\n<system-reminder>\nThe user sent a new message while you were working:\n" +
		"use NATS, not Kafka\n\nThis is how Claude Code surfaces messages the user sends " +
		"mid-turn — within the running turn.\n</system-reminder>"
	for _, c := range []struct {
		name   string
		policy settings.Policy
	}{
		{"masks", settings.Policy{Trigger: 14_000, Target: 8000, Protect: 0.1}},
		{"truncation", settings.Policy{TruncateOver: 300}},
	} {
		t.Run(c.name, func(t *testing.T) {
			msgs := []string{chattest.Says(view.User, "Choose a broker.")}
			for range 30 { // a conversation that has gone on for a while pays for masks
				msgs = append(msgs, chattest.Says(view.Assistant, "yes?"),
					chattest.Says(view.User, "go on"))
			}
			for i := range 14 {
				result := strings.Repeat(fmt.Sprintf("file%d says a lot\n", i), 200)
				if i == 1 {
					result += words
				}
				id := fmt.Sprint("c", i)
				msgs = append(msgs, chattest.Call(id, "Read",
					chattest.Object("file_path", fmt.Sprintf("/srv/file%d.go", i))),
					chattest.Result(id, result))
			}
			e := New(Options{Policy: c.policy, Counter: byBytes, Store: newMemStore()})
			res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
			sent := parse(t, res.Body).Messages()
			short := 0
			for i := range sent {
				if strings.HasPrefix(sent[i].Text(), "[") {
					short++
				}
			}
			if short == 0 || !strings.Contains(string(res.Body), "use NATS, not Kafka") ||
				len(sent) != len(msgs) {
				t.Errorf("%d outputs are short, of %d messages %d were sent", short, len(msgs),
					len(sent))
			}
		})
	}
}
