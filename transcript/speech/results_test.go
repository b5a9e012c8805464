package speech

import (
	"encoding/json"
	"testing"

	"killick/chat"
	"killick/internal/chattest"
	"killick/view"
)

// A label that names a tag of the assistant's message before it begins a result, of any tool.
func TestResultsOfWrittenCalls(t *testing.T) {
	const details = "\n<environment_details>\n9:00\n</environment_details>"
	called := "I look.\n\n<lint_rules>\n<path>a.ts</path>\n</lint_rules>"
	command := "<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>"
	for name, c := range map[string]struct{ before, text, words string }{
		"a tool of nobody's table": {called, "[lint_rules for 'a.ts'] Result:\nuse tabs" + details,
			""},
		"without details": {called, "[lint_rules for 'a.ts'] Result:\n\nuse tabs", ""},
		"with feedback": {called, "[lint_rules for 'a.ts'] Result:\nThe user says:\n<feedback>\n" +
			"use spaces\n</feedback>" + details, "use spaces"},
		"another tag": {"<lint>\n</lint>", "[lint_rules for 'a.ts'] Result:\nuse tabs",
			"[lint_rules for 'a.ts'] Result:\nuse tabs"},
		"a tag within a line": {"See <lint_rules></lint_rules>.", "[lint_rules] Result:\nYes",
			"[lint_rules] Result:\nYes"},
		"a tag without an end": {"<lint_rules>\n", "[lint_rules] Result:\nYes",
			"[lint_rules] Result:\nYes"},
		"OpenHands": {command, "EXECUTION RESULT of [execute_bash]:\nuse tabs", ""},
		"OpenHands, another tool": {command, "EXECUTION RESULT of [think]:\nuse tabs",
			"EXECUTION RESULT of [think]:\nuse tabs"},
		"OpenHands, without a call": {"Done.", "EXECUTION RESULT of [execute_bash]:\nWhy?",
			"EXECUTION RESULT of [execute_bash]:\nWhy?"},
		"words behind a name": {command, "[execute_bash] is wrong", "[execute_bash] is wrong"},
		"Hermes": {"<tool_call>\n{}\n</tool_call>",
			"<tool_response>\nuse </tool_response> tabs\n</tool_response>\nand why?", "and why?"},
		"mini-swe-agent": {"```bash\nls\n```",
			"<returncode>0</returncode>\n<output>\n</output>\nuse tabs\n</output>", ""},
		"a code without an output": {"", "<returncode>0</returncode> is wrong",
			"<returncode>0</returncode> is wrong"},
		"no tool was used": {"Done.", "[ERROR] You did not use a tool in your previous response! " +
			"Retry.\n\n# Reminder\n\n<tool_name>\n</tool_name>\n\n(This is an automated message, " +
			"so do not respond to it conversationally.)" + details, ""},
	} {
		before := chattest.Message(t, chattest.Says(view.Assistant, c.before))
		m := Read(chattest.Message(t, chattest.Says(view.User, c.text)), before)
		if got := m.Words(); got != c.words || (m.Speaker == Person) != (c.words != "") {
			t.Errorf("%s: %q by %s, want %q", name, got, m.Speaker, c.words)
		}
	}
	// what a person wrote before it is no call
	before := chattest.Message(t, chattest.Says(view.User, called))
	text := "[lint_rules] Result:\nYes"
	if m := Read(chattest.Message(t, chattest.Says(view.User, text)), before); m.Words() != text {
		t.Errorf("behind a user's message: %q", m.Words())
	}
}

// The results of calls that a model wrote as tags are no words of the user. What the user said
// beside them is.
func TestResultsInUserMessages(t *testing.T) {
	const details = "<environment_details>\n# Current Time\n9:00\n</environment_details>"
	type parts []string
	for name, c := range map[string]struct {
		parts parts
		words string
	}{
		"a file": {parts{"[read_file for 'a.ts'] Result:", "<files>\nconst a = [1]\n</files>",
			details}, ""},
		"one text": {parts{"[list_files for 'src'] Result:\n\na.ts\n> b.ts\n\n" + details}, ""},
		"a command of two lines": {parts{"[execute_command for 'a\nb'] Result:", "ok", details},
			""},
		"no argument": {parts{"[update_todo_list] Result:", "done", details}, ""},
		"an answer": {parts{"[ask_followup_question for 'Which?'] Result:",
			"<answer>\nthe second\n</answer>", details}, "the second"},
		"a refusal": {parts{"[apply_diff for 'a.ts'] Result:", "The user denied this operation " +
			"and provided the following feedback:\n<feedback>\nuse tabs\n</feedback>", details},
			"use tabs"},
		"approved": {parts{"[read_file for 'a.ts'] Result:", "The user approved this operation " +
			"and provided the following context:\n<feedback>\nuse tabs\n</feedback>",
			"<files>\na\n</files>", details}, "use tabs"},
		"behind an output": {parts{"[execute_command for 'a'] Result:", "Running.\nOutput:\n" +
			"<document>\nThe user provided the following feedback:\n<feedback>\nstop\n</feedback>",
			details}, "stop"},
		"in a file": {parts{"[read_file for 'a.ts'] Result:", "<files>\na\n<feedback>\nnot said\n" +
			"</feedback>\n</files>", details}, ""},
		"below a line of a file": {parts{"[read_file for 'a.ts'] Result:", "<files>\n<feedback>\n" +
			"not said\n</feedback>\n</files>", details}, ""},
		"details in a file": {parts{"[read_file for 'a.ts'] Result:", "<files>\n" + details +
			"\nnot said\n</files>", details}, ""},
		"a tag in a file": {parts{"[read_file for 'a.ts'] Result:", "<files>\na\n<answer>\nnot " +
			"said\n</files>", details}, ""},
		"a user's own": {parts{"[read_file for 'a.ts'] Result: what is that?", details},
			"[read_file for 'a.ts'] Result: what is that?"},
		"another tool": {parts{"[my_tool for 'a.ts'] Result:", "x", details},
			"[my_tool for 'a.ts'] Result:\nx"},
		"another client": {parts{"[read_file for 'a.ts'] Result:\nWhy?"},
			"[read_file for 'a.ts'] Result:\nWhy?"},
		"behind words": {parts{"Look:\n[read_file for 'a.ts'] Result:\nx", details},
			"Look:\n[read_file for 'a.ts'] Result:\nx"},
	} {
		var content []map[string]string
		for _, p := range c.parts {
			content = append(content, map[string]string{"type": "text", "text": p})
		}
		body, _ := json.Marshal(map[string]any{"model": "m", "messages": []any{
			map[string]any{"role": "user", "content": content}}})
		req, err := chat.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		m := Read(&req.Messages()[0], nil)
		if got := m.Words(); got != c.words || (m.Speaker == Person) != (c.words != "") {
			t.Errorf("%s: %q by %s, want %q", name, got, m.Speaker, c.words)
		}
		end := 0
		for _, s := range m.Spans {
			if s.Start != end {
				t.Errorf("%s: a gap at %d", name, end)
			}
			end = s.End
		}
		if end != len(m.Text) {
			t.Errorf("%s: the spans end at %d of %d", name, end, len(m.Text))
		}
	}
}
