package conversation

import (
	"regexp"
	"strings"
)

// observedForm is how an agent writes a call as text, and what the call returned as a message of
// the user. In call, @ is the tool that the message names.
type observedForm struct {
	result *regexp.Regexp
	call   string
}

const (
	pythonList = `(?s)\nCalling tools:\n\[\{'id': .*\}\}\]\s*$`
	codeInside = "(?s)\n```.*\n```"
	codeLast   = "(?s)\n```.*\n```\\s*$"
)

// observedForms are those of smolagents, agents with ReAct prompts, SWE-agent, AutoGen, Open
// Interpreter, Continue and LangChain's agents with JSON.
var observedForms = []observedForm{
	{regexp.MustCompile(`(?s)^Observation:\n`), pythonList},
	{regexp.MustCompile(`(?s)^(?:Call id: [^\n]*\n)?Error:\n.*If you have retried several times, ` +
		`try a completely different approach\.\s*$`), ``},
	{regexp.MustCompile(`^Observation:`),
		`\nAction:[^\n]*[^\s][^\n]*(?:\s*$|\n\s*Action Input:)`},
	{regexp.MustCompile(`^OBSERVATION:\n`), codeLast},
	{regexp.MustCompile(`\)\nbash-\$\s*$`), codeLast},
	{regexp.MustCompile(`^exitcode: -?[0-9]+ \(execution (?:succeeded|failed)\)\nCode output:`),
		codeInside},
	{regexp.MustCompile(`(?s)^Code output: .*\n\nWhat does this output mean / what's next \(if ` +
		`anything, or are we done\)\?\s*$`), codeInside},
	{regexp.MustCompile(`^Tool output for ([^\s]+) tool call:\n\n`),
		"(?s)\n```tool\nTOOL_NAME: @\n.*\n```\\s*$"},
	{regexp.MustCompile(`(?s)^TOOL RESPONSE: ?\n-{21}\n.*\n\nUSER'S INPUT\n-{20}\n\nOkay, so ` +
		`what is the response to my last comment\?`), `(?s)"action":.*"action_input":|` +
		`"action_input":.*"action":`},
}

// nextTask begins what a person wrote behind the result of a call of smolagents.
const nextTask = "\nNew task:\n"

// observed returns what a person wrote behind a result in such a form, and whether the text has
// one.
func (m *Message) observed(text string) (rest string, is bool) {
	if m.before == nil || m.before.Role != "assistant" || len(m.before.Calls) > 0 {
		return "", false
	}
	for i, form := range observedForms {
		result, rest := text, ""
		if at := strings.Index(text, nextTask); i < 2 && at >= 0 {
			result, rest = text[:at], text[at:]
		}
		label := form.result.FindStringSubmatch(result)
		if label == nil {
			continue
		}
		call := form.call
		if len(label) > 1 {
			call = strings.Replace(call, "@", regexp.QuoteMeta(label[1]), 1)
		}
		if regexp.MustCompile(call).MatchString("\n" + strings.TrimSpace(m.before.Text())) {
			return rest, true
		}
	}
	return "", false
}
