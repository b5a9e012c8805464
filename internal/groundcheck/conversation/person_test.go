package conversation

import "testing"

func TestWhatPersonsType(t *testing.T) {
	for text, want := range map[string]string{
		"fix it": "fix it",
		"<system-reminder>x</system-reminder>\nfix it":                     "fix it",
		"<system-reminder>x</system-reminder>":                             "",
		"<command-name>/go</command-name><command-args>now</command-args>": "now", "/mode": "",
		"/mode fast": "/mode fast", "[Request interrupted by user]": "",
		"Invoke the a:b skill and follow it exactly as presented to you\n\n\nARGUMENTS: " +
			"in full": "in full",
		"Base directory for this skill: /x\n\n# Skill":                     "",
		"[SYSTEM DIRECTIVE: OH-MY-OPENCODE - TODO CONTINUATION]\n\nGo on.": "",
		"<system-notice>\na job is done\n</system-notice>\nfix it":         "fix it",
		"<bash-stdout>a</bash-stdout>b</bash-stdout>":                      "",
		"<env>is a tag</env>": "<env>is a tag</env>",
		"<task-notification>\nx\n</task-notification>\nFull transcript available at: /x": "",
		"<task-notification>\nx\n</task-notification>\nRead the output file to retrieve the " +
			"result: /x\nfix it": "fix it",
	} {
		if got := typedOf(text); got != want {
			t.Errorf("%q: typed %q, want %q", text, got, want)
		}
	}
}

// A notice counts if a person typed nothing beside it in the same part.
func TestNoticesBesideWords(t *testing.T) {
	const notice = "<task-notification>\nx\n</task-notification>"
	const kimi = `<notification id="task:b">` + "\nTitle: x\n</notification>"
	m := Message{Role: "user", texts: []string{"See:\n" + notice, notice, "fix it", kimi}}
	if got, want := m.unaccompanied(), notice+"\n"+kimi; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
