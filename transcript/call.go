package transcript

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// Call is one tool call with its result.
type Call struct {
	Name   string
	Raw    string     // the arguments as the client spelled them, one level of JSON decoded
	Args   []Argument // decoded, in order
	Effect Effect
	Paths  []Path // the files that the arguments name
	// Command is the whole command that the call runs, if it runs one.
	Command string
	tool    string // the name in the form that the tables have

	Caller int // the message that makes the call
	Result int // the message that answers it, -1 if none does

	Status Status
	Exit   int  // the exit code, -1 if none is stated
	Stub   bool // instead of the content, the result refers to an earlier one

	// Via is the call whose script made this one, or of which this is one task; nil if the model
	// made it itself. The calls of a script share its result.
	Via    *Call
	script *scripted // of a call that runs a script or did several tasks
	// part is the number of the text of the result that the call printed: 0 if it printed all of
	// them, -1 if the text is not known.
	part    int
	loose   bool   // the result has other texts too, or lacks parts of what the call printed
	encoded bool   // the call printed its value as JSON
	printed string // the output of a task

	doubtful   bool       // the status is Unknown, but the result may be the report of a failure
	commanded  *commanded // of a call that runs a command
	unfinished bool       // the command may go on after the result
}

// NewCall reads a call that message caller makes. If it runs a script that only makes one other
// call, it is read as that call.
func NewCall(made view.ToolCall, caller int) Call {
	name, raw := forwarded(made.Name, made.Text())
	c := readCall(name, raw, caller)
	c.readScript()
	return c
}

// forwarded returns the call that a call of qwen-code's (0.24.4) "tool_call" forwards, which is all
// that it does: {"name": "…", "arguments": {…}} names another tool. Any other call is returned as
// it is.
func forwarded(name, raw string) (tool, arguments string) {
	if name != "tool_call" {
		return name, raw
	}
	object := rawjson.Value(strings.TrimSpace(raw))
	if !json.Valid(object) || object.Kind() != rawjson.Object {
		return name, raw
	}
	for member := range object.Members() {
		if text := member.Text(); text != "name" && text != "arguments" {
			return name, raw
		}
	}
	to, with := object.Get("name"), object.Get("arguments")
	if to.Kind() != rawjson.String || to.Text() == "" || with.Kind() != rawjson.Object {
		return name, raw
	}
	return to.Text(), string(with)
}

func readCall(name, raw string, caller int) Call {
	c := Call{Name: name, tool: toolName(name), Raw: raw, Caller: caller, Result: -1, Exit: -1}
	c.Args = readArguments(c.Raw)
	c.Command = c.command()
	if c.readEffect(); c.Effect == Runs {
		c.commanded = new(commanded)
	}
	return c
}

// answer records the result of the call, message i, whose text decode returns.
func (c *Call) answer(m *view.Message, i int, decode func() string) {
	c.Result = i
	if c.answerScript(m, i) {
		return
	}
	c.readStatus(m, decode)
	c.readEnd(m)
	c.readItems(m)
	c.Stub = IsStub(m)
}

// Inspects reports whether the call only serves to see something. Calls that run or write are
// repeated for their effects.
func (c *Call) Inspects() bool { return c.Effect == Reads || c.Effect == Other }

// Failed reports whether the result states that the call failed.
func (c *Call) Failed() bool { return c.Status == Failed || c.Status == Refused }

// MayHaveFailed reports whether the call failed, or whether its result may be the report of a
// failure, though it may also be what the call was to show. It is then not known what it did.
func (c *Call) MayHaveFailed() bool { return c.Failed() || c.doubtful }

// Whole reports whether the call reads a whole file.
func (c *Call) Whole() bool {
	return c.Effect == Reads && len(c.Paths) == 1 && c.given() == 1 &&
		(c.part == 0 || c.IsTask()) && !c.loose
}

// given returns the number of arguments other than null, which some models send for arguments that
// they omit.
func (c *Call) given() (n int) {
	for i := range c.Args {
		if !c.Args[i].isNull() {
			n++
		}
	}
	return n
}

// rangeKeys are the parameter names for the lines that a reading tool selects.
var rangeKeys = set(
	"offset", "limit", "start_line", "end_line", "start", "end", "line_start", "line_end",
	"from_line", "to_line", "startLine", "endLine", "view_range", "line_range", "range", "lines",
)

// Ranged reports whether the call reads selected lines of a file.
func (c *Call) Ranged() bool {
	if c.Effect != Reads {
		return false
	}
	for i := range c.Args {
		if a := &c.Args[i]; rangeKeys[a.leaf()] && !a.isNull() {
			return true
		}
	}
	return false
}

// text returns the first string argument of one of these names.
func (c *Call) text(names ...string) string {
	for _, name := range names {
		if a := c.argument(name); a != nil && a.Quoted {
			return a.Text
		}
	}
	return ""
}

// argument returns the argument of this name, nil if there is none or it is null.
func (c *Call) argument(name string) *Argument {
	for i := range c.Args {
		if c.Args[i].Key == name && !c.Args[i].isNull() {
			return &c.Args[i]
		}
	}
	return nil
}

// Decoded returns the values of all arguments, each on its own lines.
func (c *Call) Decoded() string {
	if len(c.Args) == 1 {
		return c.Args[0].Text
	}
	var b strings.Builder
	for i := range c.Args {
		b.WriteString(c.Args[i].Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
