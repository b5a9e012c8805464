package transcript

import (
	"regexp"
	"strings"
	"sync"

	"killick/transcript/results"
	"killick/transcript/script"
	"killick/transcript/shell"
	"killick/view"
)

// Status is how a call ended, by explicit statements in its result.
type Status = results.Status

// The statuses: see [results.Status].
const (
	Unknown = results.Unknown
	OK      = results.OK
	Failed  = results.Failed
	Refused = results.Refused
	Stopped = results.Stopped
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
	foreign bool   // the tool has the name of one that reads files, but names none here

	// ByProgram: a program that the provider runs made it, and reads the result instead of the
	// model. The result must not be changed.
	ByProgram bool

	// Written: the model wrote it as text, and a message of the user has what it returned. Name is
	// no tool's: see [speech.Observed].
	Written bool

	// Hosted: the provider ran it. Neither Transcript.Calls nor Answered has it, and its files and
	// folders are not the agent's.
	Hosted bool

	Caller int // the message that makes the call
	Result int // the message that answers it, -1 if none does

	Status Status
	Exit   int  // the exit code, -1 if none is stated
	Stub   bool // instead of the content, the result refers to an earlier one
	// Session is the id of the session, or the task, in which the command was running when the
	// result was written, "" if none is stated.
	Session string
	polls   string // see Polls
	Stops   string // the id of the session that the call ended, "" if there is none
	Stopped bool   // the call ended what was running there, which had not ended by itself
	begun   bool   // the result says that the command goes on beside the conversation

	// Via is the call whose script made this one, or of which this is one task; nil if the model
	// made it itself. The calls of a script share its result.
	Via    *Call
	script *scripted // of a call that runs a script or did several tasks
	// part is the number of the text of the result that the call printed: 0 if it printed all of
	// them, -1 if the text is not known.
	part    int
	loose   bool // the result has other texts too, or lacks parts of what the call printed
	encoded bool // the call printed its value as JSON
	ran     *view.HostedResult
	printed string // the output of a task

	action     string     // see Action
	doubtful   bool       // the status is Unknown, but the result may be the report of a failure
	commanded  *commanded // of a call that runs a command
	unfinished bool       // the command may go on after the result
}

// Inspects reports whether the call only serves to see something. Calls that run or write are
// repeated for their effects.
func (c *Call) Inspects() bool { return c.Effect == Reads || c.Effect == Other }

// Failed reports whether the result states that the call failed.
func (c *Call) Failed() bool { return c.Status == Failed || c.Status == Refused }

// MayHaveFailed reports whether the call failed, or whether its result may be the report of a
// failure, though it may also be what the call was to show. It is then not known what it did.
func (c *Call) MayHaveFailed() bool { return c.Failed() || c.doubtful }

// Known reports whether the tool is in the tables, so that its effect is known rather than inferred
// from its arguments.
func (c *Call) Known() bool {
	_, ok := knownTools[c.tool]
	return ok
}

// isTask reports whether the call is one of the tasks of the call that the model made.
func (c *Call) isTask() bool { return c.Via != nil && c.Via.script.tasks }

// HasTasks reports whether the call did several tasks, which are its nested calls.
func (c *Call) HasTasks() bool { return c.Via == nil && c.script != nil && c.script.tasks }

// NeedsResult reports whether only the result of the call shows which calls it stands for: whether
// it runs a script, may go on with one, or may have done several tasks.
func (c *Call) NeedsResult() bool {
	return c.script != nil || c.Via != nil || taskTools[c.tool] || c.awaits() != ""
}

// Whole reports whether the call reads a whole file.
func (c *Call) Whole() bool {
	return c.Effect == Reads && len(c.Paths) == 1 && c.given() == 1 &&
		(c.part == 0 || c.isTask()) && !c.loose
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
	"line_offset", "column_offset", "n_lines", // Kimi Code 2.1.0
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
	return len(c.Paths) == 1 && c.argument("i") != nil && linesAfter.MatchString(c.Paths[0].Name)
}

// linesAfter matches the lines that oh-my-pi (18.2.3) names in a path: "src/a.go:5-16,60".
var linesAfter = regexp.MustCompile(`:\d+(?:[-+,][-+,\d]*)?$`)

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

// Has reports whether the call has an argument of this name that is not null.
func (c *Call) Has(argument string) bool { return c.argument(argument) != nil }

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

// Ran returns the result of a call that the provider ran, nil if there is none.
func (c *Call) Ran() *view.HostedResult { return c.ran }

// scripted is the script of a call, as far as it is understood.
type scripted struct {
	program script.Program
	nested  []Call // the calls of the program, as if the model had made them itself
	divided bool   // each text of the result was printed by one of them
	done    bool   // the result states that the script ran to its end
	tasks   bool   // there is no script: the calls are the tasks of a call, see readItems
	resumed bool   // a call of an earlier message, which is began, started the script
	began   int
}

// commanded caches what was read of a command.
type commanded struct {
	once sync.Once
	read shell.Command // with changes in the folder in which the call runs it
}
