package transcript

import (
	"strings"

	"killick/chat"
)

// Call is one tool call with its result.
type Call struct {
	Name   string
	Raw    string     // the arguments as the client spelled them, one level of JSON decoded
	Args   []Argument // decoded, in their order
	Effect Effect
	Paths  []Path // the files that the arguments name
	// Command is what a call that runs something runs, whole.
	Command string

	Caller int // the message that makes the call
	Result int // the message that answers it, -1 if none does

	Status Status
	Exit   int  // the exit code, -1 where none is stated
	Stub   bool // the result refers to an earlier one in place of the content
}

// NewCall reads a call that message caller makes.
func NewCall(made chat.ToolCall, caller int) Call {
	c := Call{Name: made.Name, Raw: made.Arguments.Text(), Caller: caller, Result: -1, Exit: -1}
	if made.Arguments.Kind() == chat.Object { // some clients send the object itself
		c.Raw = string(made.Arguments)
	}
	c.Args = readArguments(c.Raw)
	c.Command = c.command()
	c.readEffect()
	return c
}

// answer notes the result of the call.
func (c *Call) answer(m *chat.Message, i int) {
	c.Result = i
	c.Status, c.Exit = statusOf(m, c)
	c.Stub = IsStub(m)
}

// Key is what makes two calls the same whole call: the tool and all of its
// arguments. Of a command it is the command and where it runs: agents set
// time-outs and bounds of the output anew each time.
func (c *Call) Key() string {
	if c.Command != "" {
		return c.Name + "\x00" + c.text("workdir", "cwd", "dir", "directory") + "\x00" + c.Command
	}
	return c.Name + "\x00" + c.Raw
}

// Looks reports whether the call is repeated to see something again. What runs or
// writes is repeated for what it does.
func (c *Call) Looks() bool { return c.Effect == Reads || c.Effect == Other }

// Failed reports whether the result states that the call failed.
func (c *Call) Failed() bool { return c.Status == Failed || c.Status == Refused }

// Whole reports whether the call asks for a file and for no range of it.
func (c *Call) Whole() bool { return c.Effect == Reads && len(c.Paths) == 1 && len(c.Args) == 1 }

// rangeKeys are the names under which reading tools take the lines to show.
var rangeKeys = set(
	"offset", "limit", "start_line", "end_line", "start", "end", "line_start", "line_end",
	"from_line", "to_line", "startLine", "endLine", "view_range", "line_range", "range", "lines",
)

// Ranged reports whether the call asks for some lines of a file.
func (c *Call) Ranged() bool {
	if c.Effect != Reads {
		return false
	}
	for i := range c.Args {
		if rangeKeys[c.Args[i].root()] {
			return true
		}
	}
	return false
}

// text returns the first argument of one of these names that is a text.
func (c *Call) text(names ...string) string {
	for _, name := range names {
		if a := c.argument(name); a != nil && a.Quoted {
			return a.Text
		}
	}
	return ""
}

// argument returns the argument of this name, nil if there is none.
func (c *Call) argument(name string) *Argument {
	for i := range c.Args {
		if c.Args[i].Key == name {
			return &c.Args[i]
		}
	}
	return nil
}

// Decoded returns all that the arguments say, each on lines of its own.
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
