package groundcheck

import (
	"testing"

	"killick/internal/groundcheck/conversation"
)

// read reads a request that has these messages.
func read(t *testing.T, messages ...string) *conversation.Conversation {
	t.Helper()
	conv, err := conversation.Read(body(messages))
	if err != nil {
		t.Fatal(err)
	}
	return conv
}

// under returns a checker that is under a title of a record of the messages up to the last.
func under(conv *conversation.Conversation, title string, last int) *checker {
	return &checker{client: conv, report: Report{Counts: map[string]int{}},
		rec: &record{first: 1, last: last, section: title, seen: map[string]bool{}}}
}

// wantRule checks that a rule fired, or none if it is "".
func wantRule(t *testing.T, r Report, text, rule string) {
	t.Helper()
	if len(r.Faults) > 0 != (rule != "") || rule != "" && !fired(r, rule) {
		t.Errorf("%s: %v, want rule %q", text, r.Faults, rule)
	}
}

// wantOutcome checks that a rule fires for an entry about a call, under a title of a record of the
// messages up to last; none if it is "".
func wantOutcome(
	t *testing.T, conv *conversation.Conversation, title string, last int, entry, rule string,
) {
	t.Helper()
	c := under(conv, title, last)
	c.outcome(entry)
	wantRule(t, c.report, entry, rule)
}
