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
	// begin is what the message begins with. It may capture the name of the tool.
	begin *regexp.Regexp
	tail  string // what begins the agent's own words after what the call returned, if any
	end   string // what it ends with, beside white space
	// call returns the call of this agent in a text of the assistant, of the tool with this name if
	// begin captures one.
	call func(text, name string) (call string, ok bool)
	task string // begins what a person wrote after it in the same message, if that can be

	shell bool // its calls are commands
	exits bool // begin captures the exit code
}

var observations = []observation{
	// smolagents (memory.py, models.py) writes the calls below the model's words. It joins
	// messages of one role, so that the next task follows what the last call returned.
	{begin: regexp.MustCompile(`^Observation:\n`), call: pythonCalls, task: smolagentsTask},
	{begin: regexp.MustCompile(`^(?:Call id: .*\n)?Error:\n`), end: "If you have retried several " +
		"times, try a completely different approach.", call: withoutCall, task: smolagentsTask},

	// The ReAct format of LangChain (agents/react) and LlamaIndex (agent/react; LlamaIndex.TS
	// 0.9.19 names only "Input:").
	{begin: regexp.MustCompile(`^Observation:`), call: lastAction},

	// SWE-agent (config/default.yaml, config/sweagent_0_7), where the model writes commands as
	// code.
	{begin: regexp.MustCompile(`^OBSERVATION:\n`), call: lastCode, shell: true},
	{tail: "\n(Open file: ", end: ")\nbash-$", call: lastCode, shell: true},

	// mini-swe-agent (config/default.yaml), where the model writes commands as code
	{begin: regexp.MustCompile(`^<returncode>(-?\d+)</returncode>\n<output>\n`), end: "</output>",
		call: lastCode, shell: true, exits: true},

	// OpenHands (fn_call_converter.py), without tools of the API
	{begin: regexp.MustCompile(`^EXECUTION RESULT of \[(\S+)\]:\n`), call: functionCall},

	// AutoGen (conversable_agent.py)
	{begin: regexp.MustCompile(`^exitcode: (-?\d+) \(execution (?:succeeded|failed)\)\n` +
		`Code output:`), call: code, exits: true},

	// Open Interpreter (core.py)
	{begin: regexp.MustCompile(`^Code output: `), end: "\n\nWhat does this output mean / what's " +
		"next (if anything, or are we done)?", call: code},

	// Continue (core/tools/systemMessageTools), for models without tools of the API
	{begin: regexp.MustCompile(`^Tool output for (\S+) tool call:\n\n`), call: codeblockCall},

	// LangChain's agents with JSON (agents/json_chat, agents/conversational_chat; in JavaScript,
	// agents/chat_convo of @langchain/classic 1.0.50)
	{begin: regexp.MustCompile(`^TOOL RESPONSE: ?\n-{21}\n`), tail: "\n\nUSER'S INPUT\n" +
		"--------------------\n\nOkay, so what is the response to my last comment?",
		call: jsonAction},
}

const smolagentsTask = "\nNew task:\n"

// Observed is what a call in text returned.
type Observed struct {
	Call       string // the text of the call, "" if it is not known
	Start, End int    // what it returned, in the message's text, without what the agent puts around
	Command    bool   // the call is one command of a shell
	Exit       string // its exit code, "" if none is stated
}

// returned reads what calls in text returned: the first parts of a message. A part in no such form,
// and all that follow it, are a person's: clients join messages of one role.
type returned struct {
	first *Observed // in all such parts
	ended bool      // whether something else followed
}

// add reads the next part of a message, whose text begins at an offset in that of the message, and
// returns its spans; nil if it is not what a call returned. before is the message before.
func (r *returned) add(text string, at int, before *view.Message) []Span {
	if r.ended || text == "" {
		return nil
	}
	o, end := observed(text, before)
	if r.ended = end < len(text); o == nil {
		return nil
	}
	if r.first == nil {
		r.first = o
	} else { // of several calls
		r.first.End, r.first.Command, r.first.Exit = at+o.End, false, ""
	}
	return append([]Span{{Kind: Block, Tag: "result", End: end}}, spansFrom(text, end)...)
}

// observed reads a text as what a call in text returned. end is where that ends, the end of the
// text or the beginning of what a person wrote after it. before is the message before it.
func observed(text string, before *view.Message) (read *Observed, end int) {
	if before == nil || before.Role() != view.Assistant || before.HasCalls() {
		return nil, 0
	}
	for i := range observations {
		if read, end = observations[i].read(text, before); read != nil {
			return read, end
		}
	}
	return nil, 0
}

// read reads a text as what a call of one agent returned.
func (o *observation) read(text string, before *view.Message) (read *Observed, end int) {
	label := []int{0, 0}
	if o.begin != nil {
		if label = o.begin.FindStringSubmatchIndex(text); label == nil {
			return nil, 0
		}
	}
	if end = len(text); o.task != "" {
		// From the first such line on, since what an output holds may hide no words.
		if at := strings.Index(text, o.task); at >= 0 {
			end = at + 1
		}
	}
	inside, ended := strings.CutSuffix(strings.TrimRight(text[:end], " \t\r\n"), o.end)
	tail := len(inside)
	if o.tail != "" {
		tail = strings.LastIndex(inside, o.tail)
	}
	if !ended || tail < 0 {
		return nil, 0
	}
	name := ""
	if len(label) > 2 {
		name = text[label[2]:label[3]]
	}
	call, ok := o.call("\n"+strings.TrimSpace(before.Text()), name)
	if !ok {
		return nil, 0
	}
	read = &Observed{Call: call, Start: label[1], End: max(label[1], tail)}
	// With more fences it is not certain which of them the agent ran.
	read.Command = o.shell && strings.Count("\n"+before.Text(), codeFence) == 2
	if o.exits {
		read.Exit = name
	}
	return read, end
}

// The calls, in a text with a line feed before it.

// withoutCall is for messages that are known without the call.
func withoutCall(string, string) (call string, ok bool) { return "", true }

// pythonCalls returns the list of calls that smolagents writes at the end of a text.
func pythonCalls(text, _ string) (call string, ok bool) {
	const list = "[{'id': "
	_, call, ok = strings.Cut(text, "\nCalling tools:\n"+list)
	return list + call, ok && strings.HasSuffix(call, "}}]")
}

// lastAction returns the action of the ReAct format that ends a text: a line with its name, and
// mostly its input after that.
func lastAction(text, _ string) (call string, ok bool) {
	const begin = "\nAction:"
	at := strings.LastIndex(text, begin)
	if at < 0 {
		return "", false
	}
	call = text[at+len(begin):]
	name, rest, more := strings.Cut(call, "\n")
	rest = strings.TrimPrefix(strings.TrimSpace(rest), "Action ")
	return call, strings.TrimSpace(name) != "" && (!more || strings.HasPrefix(rest, "Input:"))
}

const codeFence = "\n```"

// code returns what is between the first fence of a text and the last one.
func code(text, _ string) (call string, ok bool) {
	_, call, _ = strings.Cut(text, codeFence)
	_, call, _ = strings.Cut(call, "\n") // the language
	end := strings.LastIndex(call, codeFence)
	if end < 0 {
		return "", false
	}
	return call[:end], true
}

// lastCode returns the same of a text that ends with a fence.
func lastCode(text, _ string) (call string, ok bool) {
	call, ok = code(text, "")
	return call, ok && strings.HasSuffix(text, codeFence)
}

// codeblockCall returns the calls that end a text in the form of Continue, if one of them is of the
// tool with this name.
func codeblockCall(text, name string) (call string, ok bool) {
	const begin = codeFence + "tool\nTOOL_NAME: "
	if !strings.Contains(text, begin+name+"\n") {
		return "", false
	}
	text, ok = strings.CutSuffix(text, codeFence)
	_, call, _ = strings.Cut(text, begin)
	return call, ok
}

// functionCall returns the call of the tool with this name that OpenHands reads.
func functionCall(text, name string) (call string, ok bool) {
	begin := "<function=" + name + ">"
	_, call, found := strings.Cut(text, "\n"+begin)
	call, _, ok = strings.Cut(call, "</function>")
	return begin + call, found && ok
}

// jsonAction returns the object with an action in a text.
func jsonAction(text, _ string) (call string, ok bool) {
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return "", false
	}
	call = text[from : to+1]
	return call, strings.Contains(call, `"action":`) && strings.Contains(call, `"action_input":`)
}
