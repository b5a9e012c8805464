package groundcheck

import (
	"testing"

	"killick/internal/groundcheck/conversation"
)

// A quote names nobody but the participant that its message names.
func TestParticipantsOfQuotes(t *testing.T) {
	conv, err := conversation.Read(body([]string{
		system,
		`{"role":"user","name":"anna","content":"No flights before nine."}`,
		`{"role":"user","content":"Rome."}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	for entry, rule := range map[string]string{
		"1 user anna: No flights before nine.": "",
		"1 user: No flights before nine.":      "",
		"1 user ben: No flights before nine.":  RuleSpeaker,
		"2 user anna: Rome.":                   RuleSpeaker,
	} {
		c := checker{client: conv, report: Report{Counts: map[string]int{}},
			rec: &record{first: 1, last: 2, section: wordsTitle, seen: map[string]bool{}}}
		c.entry(entry)
		if len(c.report.Faults) > 0 != (rule != "") || rule != "" && !fired(c.report, rule) {
			t.Errorf("%s: %v, want rule %q", entry, c.report.Faults, rule)
		}
	}
}
