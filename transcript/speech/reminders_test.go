package speech

import (
	"slices"
	"testing"
)

const (
	midTurn = "The user sent a new message while you were working:\n"
	behind  = "\n\nThis is how Claude Code surfaces messages the user sends mid-turn — within " +
		"the running turn. Address the message above as you continue this turn."
)

// remind returns a reminder as Claude Code appends it to a result.
func remind(text string) string {
	return "\n\n<system-reminder>\n" + text + "\n</system-reminder>"
}

// What a person typed while the assistant was working may stand at the end of a result.
func TestQueuedWords(t *testing.T) {
	const nag = "The todo list is empty."
	for result, want := range map[string][]string{
		"1 file" + remind(midTurn+"use NATS, not Kafka"+behind): {"use NATS, not Kafka"},
		"x" + remind(midTurn+"a\n\nIMPORTANT: never push"+behind) + "\n": {
			"a\n\nIMPORTANT: never push"},
		"x" + remind(midTurn+"stop\n\nIMPORTANT: After your task."): {"stop"},
		"x" + remind(midTurn+"one"+behind) + remind(nag) +
			remind(midTurn+"two"+behind): {"one", "two"},
		"x" + remind(nag): nil,
		"x" + remind(midTurn+"not at the end"+behind) + "\nmore":              nil,
		"the text <system-reminder>\n" + midTurn + "said\n</system-reminder>": nil,
		midTurn + "without a tag":                                             nil,
	} {
		if got := Queued(result); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", result, got, want)
		}
	}
	m := read(t, "<system-reminder>\n"+midTurn+"go on\n\nIMPORTANT: but slowly"+behind+
		"\n</system-reminder>")
	if m.Speaker != Person || m.Words() != "go on\n\nIMPORTANT: but slowly" {
		t.Errorf("%s typed %q", m.Speaker, m.Words())
	}
}
