package transcript

import (
	"encoding/json"
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/transcript/results"
	"killick/transcript/script"
	"killick/view"
)

// NewCall reads a call that message caller makes. If it runs a script that only makes one other
// call, it is read as that call.
func NewCall(made view.ToolCall, caller int) Call {
	name, raw := forwarded(made.Name, made.Text())
	c := readCall(name, raw, caller)
	c.readScript()
	c.ByProgram = made.ByProgram
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

// Some models get one tool that runs JavaScript, in which the other tools are functions (Codex
// 0.169: the custom tool `exec`, whose grammar allows any text after a line of options). If the
// structure of such a script shows which calls it makes, these count as calls of the conversation.
// The frame that Codex puts before the output shows that the script ran and how it ended.

// scriptKeys are the keys of an argument that may be a script: the whole input of a custom tool, or
// the only argument of the function into which some clients convert a custom tool.
var scriptKeys = set("", "input")

// readScript reads the call as a script. If the script only makes one call, c becomes that call.
func (c *Call) readScript() {
	if knownTools[c.tool] != Runs || len(c.Args) != 1 || !c.Args[0].Quoted ||
		!scriptKeys[c.Args[0].Key] {
		return
	}
	program, ok := script.Read(c.Args[0].Text)
	if !ok {
		return
	}
	c.runs(&scripted{program: program}, true)
}

// runs makes the call one that runs a script, or that goes on with one. Of a script that makes
// several calls, they are only needed once it has ended.
func (c *Call) runs(s *scripted, ended bool) {
	c.script, c.Paths = s, nil
	outer, alone := *c, s.program.Complete && len(s.program.Calls) == 1
	if !alone && !ended {
		return
	}
	for _, made := range s.program.Calls {
		n := readCall(made.Name, made.Arguments, c.Caller)
		if n.Via = &outer; alone {
			n.polls, n.ByProgram = c.polls, c.ByProgram
		}
		s.nested = append(s.nested, n)
	}
	if alone {
		*c = s.nested[0]
	}
}

// Made returns the call that the model made: the one whose script made this call, or c itself.
func (c *Call) Made() *Call {
	if c.Via != nil {
		return c.Via
	}
	return c
}

// Nested returns the calls that the script of this call made, or its tasks, nil if they are not all
// known.
func (c *Call) Nested() []Call {
	if c.Via != nil || c.script == nil || !c.script.done || !c.script.program.Complete {
		return nil
	}
	return c.script.nested
}

// OwnsOutput reports whether the output in the result counts as printed by this call, rather than
// by the call whose script made it or by the calls that its script made.
func (c *Call) OwnsOutput() bool {
	switch {
	case c.Via == nil:
		return c.script == nil || !c.script.divided
	case c.Alone():
		return true
	}
	return c.Via.script.divided && c.part > 0
}

// PrintedAll reports whether the call printed all of the output in its result.
func (c *Call) PrintedAll() bool { return c.part == 0 }

// Alone reports whether the call is all that a script does. It then replaces the call that runs the
// script.
func (c *Call) Alone() bool {
	return c.Via != nil && c.Via.script.program.Complete && len(c.Via.script.nested) == 1
}

// madeBy returns the calls that the script of a call made, with their result.
func (c *Call) madeBy() []Call {
	if c.Via != nil || c.script == nil || !c.script.done {
		return nil
	}
	return c.script.nested
}

// scriptError begins the error that ended a script.
const scriptError = "\nScript error:\n"

// answerScript records the result of a script. It returns false if the result must be read like
// that of any other call.
func (c *Call) answerScript(m *view.Message, i int) bool {
	made := c.Made()
	if made.script == nil {
		return false
	}
	s, head := made.script, results.Head(m)
	switch {
	case strings.HasPrefix(head, results.ScriptCompleted):
		s.done = true
		for k := range s.nested {
			n := &s.nested[k]
			n.Result, n.part = i, -1
			if knownTools[toolName(n.Name)] == patches {
				n.Status = OK // else it would have failed the script
			}
		}
		s.readPrints(m)
		if c.Via != nil {
			alone := &s.nested[0]
			if alone.part < 0 || len(s.program.Prints) == 1 {
				alone.loose, alone.part = alone.part < 0, 0
			}
			*c = *alone
		}
		return c.Via != nil
	case c.Via == nil:
	case strings.HasPrefix(head, results.ScriptFailed) && s.program.Plain && !brokenScript(m):
		if c.Status = Failed; refusedScript(m) {
			c.Status = Refused
		}
		return true
	case strings.HasPrefix(head, results.ScriptRunning) && s.program.Plain:
		c.Session, c.unfinished, c.doubtful = results.CodexSession(head), true, true
		return true
	default: // nothing is known about the call that the script makes
		*c = *c.Via
		c.Result = i
	}
	return false
}

// scriptReason returns the error that ended a script.
func scriptReason(m *view.Message) string {
	output := results.CodexOutput(m.Text())
	_, reason, _ := strings.Cut("\n"+output, scriptError)
	return reason
}

// brokenScript reports whether the engine rejected or stopped a script: such errors state a place
// in the script, those of calls do not.
func brokenScript(m *view.Message) bool {
	reason := scriptReason(m)
	return strings.HasPrefix(reason, "SyntaxError: ") ||
		strings.Contains(reason, "\n    at exec_main.mjs:")
}

// refusedScript reports whether a script failed because a call was not allowed to run.
func refusedScript(m *view.Message) bool {
	reason := scriptReason(m)
	return results.Refuses(reason)
}

// readPrints assigns to each call what it printed, if every text of the result is certainly the one
// that the script prints at that place.
func (s *scripted) readPrints(m *view.Message) {
	texts, ok := printed(m)
	prints := s.program.Prints
	if !ok || !s.program.Printed {
		return
	}
	if len(texts) == 0 && len(prints) == 1 && prints[0].Call >= 0 {
		texts = []rawjson.Value{rawjson.Value(`""`)} // empty texts are left out
	}
	if len(texts) != len(prints) {
		return
	}
	s.divided = len(prints) > 0
	for k, p := range prints {
		if p.Call < 0 {
			s.divided = false
			continue
		}
		n := &s.nested[p.Call]
		switch text := texts[k]; {
		case n.Effect != Reads && p.Member == "exit_code":
			if code, err := strconv.Atoi(strings.TrimSpace(text.Text())); err == nil {
				n.exited(code)
			}
		case p.Member == "" || n.Effect != Reads && p.Member == "output":
			if p.Member == "" {
				n.readValue(rawjson.Value(strings.TrimSpace(text.Text())), p.JSON)
			}
			if n.part < 0 {
				n.part = k + 1
			}
		default:
			s.divided = false
		}
	}
}

// readValue reads the value that a call returned.
func (c *Call) readValue(v rawjson.Value, isJSON bool) {
	if !json.Valid(v) || !isJSON && v.Kind() != rawjson.Object {
		return
	}
	c.encoded = true
	switch code, ok := results.ExitMember(v); {
	case ok && ofCommand(v):
		c.exited(code)
		c.readInterrupt()
	case ofCommand(v) && results.IsSession(string(v.Get("session_id"))):
		c.Session, c.unfinished = string(v.Get("session_id")), true
	case v.Kind() != rawjson.Object || ofCommand(v):
	case results.IsMCP(v):
		c.Status = Failed
	default:
		c.doubtful = results.LooksFailed(v, c.Effect == Runs)
	}
}

// ofCommand reports whether a value is what Codex returns for a command: by the declarations of the
// functions exec_command and write_stdin, it always has these two members.
func ofCommand(v rawjson.Value) bool {
	return v.Get("wall_time_seconds").Kind() == rawjson.Number &&
		v.Get("output").Kind() == rawjson.String
}

// exited records an exit code.
func (c *Call) exited(code int) {
	if c.Status, c.Exit = OK, code; code != 0 {
		c.Status = Failed
	}
}

// printed returns the texts that a script printed. ok is false if they cannot be separated from the
// frame or from each other.
func printed(m *view.Message) (texts []rawjson.Value, ok bool) {
	for part := range m.Parts() {
		if part.Text == nil {
			return nil, false // an image
		}
		texts = append(texts, part.Text)
	}
	if len(texts) == 0 {
		return nil, false
	}
	frame := texts[0].Text()
	if strings.HasSuffix(strings.TrimRight(frame, "\n"), "\nOutput:") {
		return texts[1:], true
	}
	if len(texts) > 1 {
		return nil, false
	}
	output := results.CodexOutput(frame)
	return []rawjson.Value{rawjson.AppendQuoted(nil, output)}, true
}
