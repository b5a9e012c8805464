package speech

import (
	"strings"
	"testing"

	"killick/view"
)

func TestCompactionRequests(t *testing.T) {
	for _, start := range compactionRequests {
		text := start + " and so on.\n\nBe brief."
		for form, parts := range map[string][]string{"one string": {text},
			"behind a reminder": {reminder + "\n" + text}, "parts": {reminder, text}} {
			if form == "behind a reminder" && strings.HasPrefix(start, "<explicit_instructions") {
				continue // Cline sends it as a part of its own
			}
			if !IsCompactionRequest([]view.Message{message(t, "user", "hello"),
				message(t, "user", parts...)}) {
				t.Errorf("%s: %.60q is no compaction request", form, start)
			}
		}
		if IsCompactionRequest([]view.Message{message(t, "user",
			`Why does the agent say "`+text+`"?`)}) {
			t.Errorf("a question about %.60q is a compaction request", start)
		}
		if IsCompactionRequest([]view.Message{message(t, "assistant", text)}) ||
			IsCompactionRequest(nil) {
			t.Errorf("%.60q from the assistant is a compaction request", start)
		}
	}
}
