package speech

import (
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// What a call in text returned is known by its own form and by the call before it. Either alone is
// what a person says.
func TestObservations(t *testing.T) {
	const (
		python = "I look.\nCalling tools:\n[{'id': 'call_1', 'type': 'function', 'function': " +
			"{'name': 'search', 'arguments': {'query': 'tabs'}}}]"
		retry = "Error:\nNo such tool.\nNow let's retry: take care not to repeat previous " +
			"errors! If you have retried several times, try a completely different approach.\n"
		react     = "Thought: I look.\nAction: search\nAction Input: {'query':\n'tabs'}"
		code      = "I look.\n```sh\ncat a.ts\n```"
		prompt    = "use tabs\n(Open file: n/a)\n(Current directory: /r)\nbash-$"
		codeblock = "I look.\n```tool\nTOOL_NAME: read_file\nBEGIN_ARG: p\n\"a\"\nEND_ARG\n```"
		said      = "Code output: tabs\n\nWhat does this output mean / what's next (if anything, " +
			"or are we done)?"
		object   = "```json\n{\"action\": \"search\", \"action_input\": \"tabs\"}\n```"
		response = "TOOL RESPONSE: \n---------------------\nuse tabs\n\nUSER'S INPUT\n" +
			"--------------------\n\nOkay, so what is the response to my last comment? Remember " +
			"to respond with a markdown code snippet."
	)
	for name, c := range map[string]struct{ before, text, words string }{
		"smolagents":     {python, "Observation:\nuse tabs", ""},
		"an error":       {python, "Call id: call_1\n" + retry, ""},
		"without a call": {"I look.", retry, ""},
		"the next task": {python, "Observation:\nuse tabs\nNew task:\nUse spaces.",
			"New task:\nUse spaces."},
		"two tasks": {python, "Observation:\nuse\nNew task:\ntabs\nNew task:\nUse spaces.",
			"New task:\ntabs\nNew task:\nUse spaces."},
		"ReAct":            {react, "Observation: use tabs", ""},
		"LlamaIndex.TS":    {"Action: search\nInput: {\n  query: tabs\n}", "Observation: tabs", ""},
		"without an input": {"Thought: I look.\nAction: search[tabs]", "Observation: use tabs", ""},
		"SWE-agent":        {code, "OBSERVATION:\nuse tabs", ""},
		"with a prompt":    {code, prompt, ""},
		"AutoGen": {code + "\nI wait.", "exitcode: 1 (execution failed)\nCode output: x",
			""},
		"Open Interpreter": {code, said, ""},
		"Continue":         {codeblock, "Tool output for read_file tool call:\n\nuse tabs", ""},
		"LangChain":        {object, response, ""},
		"no call":          {"Done.", "Observation: it fails", "Observation: it fails"},
		"an action in words": {"Action: I call the bank.\nAnd you?", "Observation: it fails",
			"Observation: it fails"},
		"an answer below an action": {react + "\n\nAction: none\nIt is done.",
			"Observation: it fails", "Observation: it fails"},
		"another label": {react, "My observation: it fails", "My observation: it fails"},
		"code within":   {code + "\nTry it.", "OBSERVATION:\nit fails", "OBSERVATION:\nit fails"},
		"only a prompt": {"Done.", prompt, prompt},
		"half a prompt": {code, "use tabs\n(Open file: n/a)", "use tabs\n(Open file: n/a)"},
		"only an exitcode": {"Done.", "exitcode: 1 (execution failed)\nCode output: x",
			"exitcode: 1 (execution failed)\nCode output: x"},
		"exitcode in words": {code, "exitcode: 1, why?", "exitcode: 1, why?"},
		"another tool": {codeblock, "Tool output for ls tool call:\n\nx",
			"Tool output for ls tool call:\n\nx"},
		"quoted":          {"Done.", said, said},
		"without the end": {code, "Code output: tabs\nWhy?", "Code output: tabs\nWhy?"},
		"no object":       {"Done.", response, response},
	} {
		before := chattest.Message(t, chattest.Says(view.Assistant, c.before))
		m := Read(chattest.Message(t, chattest.Says(view.User, c.text)), before)
		if got := m.Words(); got != c.words || (m.Speaker == Person) != (c.words != "") {
			t.Errorf("%s: %q by %s, want %q", name, got, m.Speaker, c.words)
		}
		checkSpans(t, m)
		before = chattest.Message(t, chattest.Says(view.User, c.before))
		for _, before := range []*view.Message{before, nil} {
			m := Read(chattest.Message(t, chattest.Says(view.User, c.text)), before)
			if m.Speaker != Person {
				t.Errorf("%s, behind a user's message: by %s", name, m.Speaker)
			}
		}
	}
}

// Of such a message it is known what was called, and what that returned.
func TestCallsInText(t *testing.T) {
	for _, c := range []struct{ before, text, call, returned string }{
		{"I look.\nCalling tools:\n[{'id': 'call_1', 'type': 'function', 'function': {}}]",
			"Observation:\nuse tabs",
			"[{'id': 'call_1', 'type': 'function', 'function': {}}]", "use tabs"},
		{"Thought: I look.\nAction: search\nAction Input: {}", "Observation: use tabs",
			" search\nAction Input: {}", " use tabs"},
		{"I look.\n```sh\ncat a.ts\n```",
			"use tabs\n(Open file: a)\n(Current directory: /r)\nbash-$", "cat a.ts", "use tabs"},
		{"I look.\n```\ncat > a.md <<E\n```\nx\n```\nE\n```", "OBSERVATION:\n",
			"cat > a.md <<E\n```\nx\n```\nE", ""},
		{"I look.\n```sh\ncat a.ts\n```",
			"<returncode>0</returncode>\n<output>\nuse tabs\n</output>", "cat a.ts", "use tabs\n"},
		{"I look.\n\n<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>",
			"EXECUTION RESULT of [execute_bash]:\nuse tabs",
			"<function=execute_bash>\n<parameter=command>ls</parameter>\n", "use tabs"},
		{"I look.\n```tool\nTOOL_NAME: ls\nBEGIN_ARG: p\n1\nEND_ARG\n```",
			"Tool output for ls tool call:\n\nuse tabs", "ls\nBEGIN_ARG: p\n1\nEND_ARG",
			"use tabs"},
		{`{"action": "ls", "action_input": "a"}`, "TOOL RESPONSE: \n---------------------\n" +
			"use tabs\n\nUSER'S INPUT\n--------------------\n\nOkay, so what is the response " +
			"to my last comment? Remember.", `{"action": "ls", "action_input": "a"}`, "use tabs"},
		// what a person wrote is after it
		{"Calling tools:\n[{'id': 'call_1', 'function': {}}]",
			"Observation:\nuse tabs\nNew task:\nNow spaces.", "", ""},
	} {
		before := chattest.Message(t, chattest.Says(view.Assistant, c.before))
		m := Read(chattest.Message(t, chattest.Says(view.User, c.text)), before)
		call, returned := "", ""
		if o := m.Observed; o != nil {
			call, returned = o.Call, m.Text[o.Start:o.End]
		}
		if call != c.call || returned != c.returned {
			t.Errorf("%q: %q returned %q, want %q", c.text, call, returned, c.call)
		}
	}
}

// Clients join messages of one role: a part after what calls returned is a person's, unless it has
// such a form, too.
func TestPartsBehindWhatACallReturned(t *testing.T) {
	const (
		react = "Thought: I look.\nAction: search\nAction Input: {}"
		two   = "I look.\n```tool\nTOOL_NAME: ls\n```\n```tool\nTOOL_NAME: cat\n```"
		ls    = "Tool output for ls tool call:\n\na.ts\n\n"
		cat   = "Tool output for cat tool call:\n\nuse tabs"
		call  = "I look.\n<function=ls>\n</function>"
	)
	for name, c := range map[string]struct {
		before          string
		parts           []string
		words, returned string
	}{
		"one":       {react, []string{"Observation: tabs"}, "", " tabs"},
		"words":     {react, []string{"Observation: tabs", "Use spaces."}, "Use spaces.", ""},
		"OpenHands": {call, []string{"EXECUTION RESULT of [ls]:\na.ts", "Wait!"}, "Wait!", ""},
		"two calls": {two, []string{ls, cat}, "", "a.ts\n\n\n" + cat},
		"both":      {two, []string{ls, cat, "Use spaces.", cat}, "Use spaces.\n" + cat, ""},
	} {
		var parts []string
		for _, text := range c.parts {
			parts = append(parts, chattest.Part(text))
		}
		before := chattest.Message(t, chattest.Says(view.Assistant, c.before))
		m := Read(chattest.Message(t, chattest.UserParts(parts...)), before)
		returned := ""
		if o := m.Observed; o != nil {
			returned = m.Text[o.Start:o.End]
		}
		if m.Words() != c.words || returned != c.returned || len(m.Blocks) > 0 {
			t.Errorf("%s: %q, returned %q", name, m.Words(), returned)
		}
		checkSpans(t, m)
	}
}
