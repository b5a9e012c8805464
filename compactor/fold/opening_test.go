package fold

import (
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// What a conversation opens with is quoted whole if it is the assistant's, since nobody else may
// have said what is asked for; later records quote it, too, and an earlier one once.
func TestTheAssistantsOpeningIsQuoted(t *testing.T) {
	history := "The conversation so far:\n" + strings.Repeat("user: Is it open?\n", 60) +
		"user: Never refund to a card."
	long := history + strings.Repeat("\nassistant: It is.", 1000) + "\nuser: Then close it."
	most := (settings.Policy{}).WithDefaults().SummaryBytes
	for name, c := range map[string]struct {
		role   view.Role
		text   string
		record int // the most tokens of records before they are merged
		want   int
	}{
		"the assistant's":     {view.Assistant, history, 0, 1},
		"in the first record": {view.Assistant, history, 4000, 1},
		"a person's":          {view.User, history, 0, 0},
		"too long":            {view.Assistant, long, 0, 1},
		"one long line":       {view.Assistant, strings.Repeat("It is open. ", 2000), 0, 0},
		"empty":               {view.Assistant, " ", 0, 0},
	} {
		msgs := []string{chattest.Says(c.role, c.text)}
		var ends []int
		for range 3 {
			msgs = append(msgs, chattest.Exchange("get_document", `{"n":1}`, "page 1")...)
			ends = append(ends, len(msgs))
		}
		_, cp := foldsAt(t, settings.Policy{Target: 4000, RecordTokens: c.record}, msgs, ends...)
		text := checkpoint.Text(cp.Records)
		whole := "\n## Beginning of the conversation: message 1, of assistant\n  | " +
			strings.ReplaceAll(history, "\n", "\n  | ") + "\n"
		shown := strings.Count(text, whole)
		if strings.Contains(text, "  | […]\n") != (c.text == long) ||
			c.text == long && !strings.Contains(text, "  | user: Then close it.\n") {
			shown = 0
		}
		if got := strings.Count(text, "## Beginning"); got != c.want || shown != c.want ||
			len(text) > most {
			t.Errorf("%s: %d blocks, want %d:\n%s", name, got, c.want, text)
		}
	}
}
