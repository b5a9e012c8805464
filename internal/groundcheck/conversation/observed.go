package conversation

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// observedForm is how an agent writes a call as text, and what the call returned as a message of
// the user. In call, @ is the tool that the message names. The group "out" of result is what was
// returned, and "call" of call the call itself.
type observedForm struct {
	result *regexp.Regexp
	call   string
}

const (
	codeInside = "(?s)^.*?\n```[^\n]*\n(?P<call>.*)\n```"
	codeLast   = codeInside + `\s*$`
)

// observedForms are those of smolagents, agents with ReAct prompts, SWE-agent, mini-swe-agent,
// OpenHands, AutoGen, Open Interpreter, Continue and LangChain's agents with JSON.
var observedForms = []observedForm{
	{regexp.MustCompile(`(?s)^Observation:\n(?P<out>.*)$`),
		`(?s)\nCalling tools:\n(?P<call>\[\{'id': .*\}\}\])\s*$`},
	{regexp.MustCompile(`(?s)^(?:Call id: [^\n]*\n)?Error:\n(?P<out>.*)If you have retried ` +
		`several times, try a completely different approach\.\s*$`), ``},
	{regexp.MustCompile(`(?s)^Observation:(?P<out>.*)$`),
		`(?s)^.*\nAction:(?P<call>[^\n]*[^\s][^\n]*(?:|\n\s*(?:Action )?Input:.*))$`},
	{regexp.MustCompile(`(?s)^OBSERVATION:\n(?P<out>.*)$`), codeLast},
	{regexp.MustCompile(`(?s)^(?P<out>.*)\n\(Open file: .*\)\nbash-\$\s*$`), codeLast},
	{regexp.MustCompile(`(?s)^<returncode>(?P<code>-?[0-9]+)</returncode>\n<output>\n(?P<out>.*)` +
		`</output>\s*$`), codeLast},
	{regexp.MustCompile(`(?s)^EXECUTION RESULT of \[([^\s]+)\]:\n(?P<out>.*)$`),
		`(?s)\n(?P<call><function=@>.*?)</function>`},
	{regexp.MustCompile(`(?s)^exitcode: (?P<code>-?[0-9]+) \(execution (?:succeeded|failed)\)\n` +
		`Code output:(?P<out>.*)$`), codeInside},
	{regexp.MustCompile(`(?s)^Code output: (?P<out>.*)\n\nWhat does this output mean / what's ` +
		`next \(if anything, or are we done\)\?\s*$`), codeInside},
	{regexp.MustCompile(`(?s)^Tool output for ([^\s]+) tool call:\n\n(?P<out>.*)$`),
		"(?s)\n```tool\nTOOL_NAME: (?P<call>(?:.*\n```tool\nTOOL_NAME: )?@(?:\n.*)?)\n```\\s*$"},
	{regexp.MustCompile(`(?s)^TOOL RESPONSE: ?\n-{21}\n(?P<out>.*)\n\nUSER'S INPUT\n-{20}\n\n` +
		`Okay, so what is the response to my last comment\?`),
		`(?s)(?P<call>\{.*(?:"action":.*"action_input":|"action_input":.*"action":).*\})`},
}

// nextTask begins what a person wrote after the result of a call of smolagents.
const nextTask = "\nNew task:\n"

// observation is what a call in text returned.
type observation struct {
	call, out string
	code      string   // the exit code
	command   bool     // call is what a shell ran
	rest      []string // what a person wrote after it
}

// observed reads a message as what calls in the text before it returned, nil if it is not. Each of
// its texts is what one returned, up to the first that is not.
func (m *Message) observed() (all *observation) {
	if m.Role != "user" || m.before == nil || m.before.Role != "assistant" ||
		len(m.before.Calls) > 0 {
		return nil
	}
	for i, text := range m.texts {
		if text == "" {
			continue
		}
		next := m.observedText(text)
		switch {
		case all == nil && next == nil:
			return nil
		case all == nil:
			all = next
		case next == nil:
			all.rest = append(all.rest, text)
		default:
			all.out, all.command, all.code = all.out+"\n"+text, false, ""
			all.rest = append(all.rest, next.rest...)
		}
		if len(all.rest) > 0 {
			all.rest = append(all.rest, m.texts[i+1:]...)
			break
		}
	}
	return all
}

// observedText reads a text of a message so.
func (m *Message) observedText(text string) *observation {
	for i, form := range observedForms {
		result, rest := text, []string(nil)
		if at := strings.Index(text, nextTask); i < 2 && at >= 0 {
			result, rest = text[:at+1], []string{text[at+1:]}
		}
		label := form.result.FindStringSubmatch(result)
		if label == nil {
			continue
		}
		call := form.call
		if name := label[1]; strings.Contains(call, "@") {
			call = strings.ReplaceAll(call, "@", regexp.QuoteMeta(name))
		}
		found := regexp.MustCompile(call)
		at := found.FindStringSubmatch("\n" + strings.TrimSpace(m.before.Text()))
		if at == nil {
			continue
		}
		read := &observation{out: label[form.result.SubexpIndex("out")], rest: rest}
		if n := found.SubexpIndex("call"); n >= 0 {
			read.call = strings.TrimSpace(at[n])
		}
		if n := form.result.SubexpIndex("code"); n >= 0 {
			read.code = label[n]
		}
		fences := strings.Count("\n"+m.before.Text(), "\n```")
		read.command = form.call == codeLast && fences == 2
		if strings.Contains(call, "nAction:") && strings.Contains(read.call, "\nAction:") {
			continue // another action is the last one
		}
		return read
	}
	return nil
}

// written returns the call in text that the message answers, nil if it answers none.
func (m *Message) written() *Call {
	o := m.observed()
	if o == nil || o.call == "" || len(o.rest) > 0 || m.media {
		return nil
	}
	alone := *m
	alone.texts, alone.folded, alone.typed = []string{o.out}, nil, nil
	c := &Call{Caller: m.before, Tool: "call", raw: o.call, Result: &alone, Written: true,
		end: &Outcome{doubtful: true}}
	if o.command {
		quoted, _ := json.Marshal(map[string]string{"command": o.call})
		c.raw = string(quoted)
	}
	if code, err := strconv.Atoi(o.code); err == nil {
		c.end = &Outcome{Exit: code, Stated: code >= 0, Failed: code != 0}
	}
	c.Args = readArguments(c.raw)
	return c
}
