package groundcheck

import "testing"

// A quote names nobody but the participant that its message names.
func TestParticipantsOfQuotes(t *testing.T) {
	conv, err := readConversation(body([]string{
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

func TestWhatPersonsType(t *testing.T) {
	for text, want := range map[string]string{
		"fix it": "fix it",
		"<system-reminder>x</system-reminder>\nfix it":                     "fix it",
		"<system-reminder>x</system-reminder>":                             "",
		"<command-name>/go</command-name><command-args>now</command-args>": "now", "/mode": "",
		"/mode fast": "/mode fast", "[Request interrupted by user]": "",
		"Invoke the a:b skill and follow it exactly as presented to you\n\n\nARGUMENTS: " +
			"in full": "in full",
		"Base directory for this skill: /x\n\n# Skill": "",
		"<bash-stdout>a</bash-stdout>b</bash-stdout>":  "",
		"<env>is a tag</env>":                          "<env>is a tag</env>",
	} {
		if got := typedOf(text); got != want {
			t.Errorf("%q: typed %q, want %q", text, got, want)
		}
	}
}
