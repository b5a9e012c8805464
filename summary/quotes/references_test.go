package quotes

import (
	"testing"

	"killick/internal/chattest"
	"killick/reference"
	"killick/transcript"
	"killick/view"
)

// What a call in text returned is its output, and not also words of a message, whichever is asked
// for first.
func TestOutputsAreNoWords(t *testing.T) {
	msgs := chattest.Messages(t, chattest.Says(view.User, "Look."),
		chattest.Says(view.Assistant, "Action: read\nAction Input: {}"),
		chattest.Says(view.User, "Observation: see src/app.ts"))
	read := transcript.ReadAll(msgs)
	for _, first := range []string{"output", "words"} {
		s := &Source{Transcript: read, Redact: func(text string) string { return text }}
		named := 0
		names := func() { s.EachName(2, func(string, reference.Kind) { named++ }) }
		if first == "words" {
			names()
		}
		if got := s.SafeOutput(&read.Calls[0]); got != " see src/app.ts" {
			t.Errorf("%s first: it returned %q", first, got)
		}
		if names(); named > 0 {
			t.Errorf("%s first: its output is words with %d names", first, named)
		}
	}
}
