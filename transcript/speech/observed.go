package speech

import (
	"regexp"
	"strings"

	"killick/view"
)

// Agents that need no tools of the API have the model write a call as text, and answer with a user
// message in a form of their own. Such a message is known by both: its own form, and the call in
// the assistant's message right before it. A person may write or quote either.

// observation is the form in which an agent sends what a call returned.
type observation struct {
	begin *regexp.Regexp // what the message begins with; it may capture the name of the tool
	end   string         // what it ends with, beside white space
	// called reports whether a text of the assistant has a call of this agent, of the tool with
	// this name if begin captures one.
	called func(text, name string) bool
	task   string // begins what a person wrote behind it in the same message, if that can be
}

var observations = []observation{
	// smolagents 1.24 (memory.py, models.py) writes the calls below the model's words. It joins
	// messages of one role, so that the next task follows what the last call returned.
	{begin: regexp.MustCompile(`^Observation:\n`), called: pythonCalls, task: smolagentsTask},
	{begin: regexp.MustCompile(`^(?:Call id: .*\n)?Error:\n`), end: "If you have retried several " +
		"times, try a completely different approach.", called: anything, task: smolagentsTask},

	// The ReAct format of LangChain (agents/react) and LlamaIndex 0.14 (agent/react).
	{begin: regexp.MustCompile(`^Observation:`), called: endsInAction},

	// SWE-agent 1.1 (config/default.yaml, config/sweagent_0_7), where the model writes commands as
	// code.
	{begin: regexp.MustCompile(`^OBSERVATION:\n`), called: endsInCode},
	{end: ")\nbash-$", called: endsInCode},

	// AutoGen 0.2 (conversable_agent.py)
	{begin: regexp.MustCompile(`^exitcode: -?\d+ \(execution (?:succeeded|failed)\)\nCode output:`),
		called: hasCode},

	// Open Interpreter 0.4 (core.py)
	{begin: regexp.MustCompile(`^Code output: `), end: "\n\nWhat does this output mean / what's " +
		"next (if anything, or are we done)?", called: hasCode},

	// Continue 1.2 (core/tools/systemMessageTools), for models without tools of the API
	{begin: regexp.MustCompile(`^Tool output for (\S+) tool call:\n\n`), called: endsInCall},

	// LangChain's agents with JSON (agents/json_chat, agents/conversational_chat)
	{begin: regexp.MustCompile(`(?s)^TOOL RESPONSE: ?\n-{21}\n.*\n\nUSER'S INPUT\n-{20}\n\nOkay, ` +
		`so what is the response to my last comment\?`), called: hasAction},
}

const smolagentsTask = "\nNew task:\n"

// observed returns up to where a text is what a call in text returned, to the end or to what a
// person wrote behind it, and whether it is. before is the message before it.
func observed(text string, before *view.Message) (end int, ok bool) {
	if before == nil || before.Role() != view.Assistant || before.HasCalls() {
		return 0, false
	}
	for i := range observations {
		o := &observations[i]
		var label []string
		if o.begin != nil {
			if label = o.begin.FindStringSubmatch(text); label == nil {
				continue
			}
		}
		if end = len(text); o.task != "" {
			// From the first such line on, since what an output holds may hide no words.
			if at := strings.Index(text, o.task); at >= 0 {
				end = at + 1
			}
		}
		name := ""
		if len(label) > 1 {
			name = label[1]
		}
		if strings.HasSuffix(strings.TrimSpace(text[:end]), o.end) &&
			o.called("\n"+strings.TrimSpace(before.Text()), name) {
			return end, true
		}
	}
	return 0, false
}

// The calls, in a text with a line feed before it.

func anything(string, string) bool { return true }

// pythonCalls reports whether a text ends with the list of calls that smolagents writes.
func pythonCalls(text, _ string) bool {
	return strings.Contains(text, "\nCalling tools:\n[{'id': ") && strings.HasSuffix(text, "}}]")
}

// endsInAction reports whether a text ends with an action of the ReAct format: a line with its
// name, and mostly its input behind that.
func endsInAction(text, _ string) bool {
	const begin = "\nAction:"
	at := strings.LastIndex(text, begin)
	if at < 0 {
		return false
	}
	name, rest, more := strings.Cut(text[at+len(begin):], "\n")
	return strings.TrimSpace(name) != "" &&
		(!more || strings.HasPrefix(strings.TrimSpace(rest), "Action Input:"))
}

// hasCode reports whether a text has a fenced block.
func hasCode(text, _ string) bool {
	_, rest, ok := strings.Cut(text, "\n```")
	return ok && strings.Contains(rest, "\n```")
}

// endsInCode reports whether a text ends with a fenced block.
func endsInCode(text, _ string) bool {
	return strings.HasSuffix(text, "\n```") && hasCode(text, "")
}

// endsInCall reports whether a text ends with calls that Continue writes, one of them of the tool
// with this name.
func endsInCall(text, name string) bool {
	return endsInCode(text, "") && strings.Contains(text, "\n```tool\nTOOL_NAME: "+name+"\n")
}

// hasAction reports whether a text has an action as a JSON object.
func hasAction(text, _ string) bool {
	return strings.Contains(text, `"action":`) && strings.Contains(text, `"action_input":`)
}
