package transcript

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
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
