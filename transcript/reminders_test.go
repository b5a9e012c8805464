package transcript

import (
	"testing"

	"killick/internal/chattest"
)

// Reminders after a result are no part of it.
func TestRemindersAreNoOutput(t *testing.T) {
	const end = "\n\n<system-reminder>\nThe user sent a new message while you were working:\n" +
		"use NATS\n</system-reminder>\n\n<system-reminder>\nThe todo list is empty.\n" +
		"</system-reminder>"
	for name, c := range map[string]struct{ tool, args, result, output string }{
		"a command":        {"Bash", `{"command":"make"}`, "a\nb" + end, "a\nb"},
		"a failed command": {"Bash", `{"command":"make"}`, "Exit code 2\na" + end, "a"},
		"another tool":     {"mcp__x__get", `{"id":1}`, `{"ok":true}` + end, `{"ok":true}`},
		"no reminder":      {"Bash", `{"command":"make"}`, "a\nb \n", "a\nb \n"},
	} {
		tr := ReadAll(chattest.Called(t, c.tool, c.args, c.result))
		call := &tr.Calls[0]
		if got := tr.Output(call, tr.Text(call.Result)); got != c.output {
			t.Errorf("%s: %q, want %q", name, got, c.output)
		}
	}
	refused := "The user doesn't want to proceed with this tool use. To tell you how to proceed, " +
		"the user said:\nnot that one" + end
	if got := RefusalWords(refused); got != "not that one" {
		t.Errorf("refused with %q", got)
	}
}

// Words after a result are found however a client writes "<" in JSON: Go's writes an escape.
func TestQueuedWordsAreFoundInEscapes(t *testing.T) {
	msgs := chattest.Messages(t, chattest.Call("c1", "Bash", `{"command":"make"}`),
		`{"role":"tool","tool_call_id":"c1","content":"a\n\n\u003csystem-reminder\u003e\n`+
			`The user sent a new message while you were working:\nuse NATS\n`+
			`\u003c/system-reminder\u003e"}`)
	if tr := ReadAll(msgs); !tr.HasQueued(1) {
		t.Error("the words are not found")
	}
}
