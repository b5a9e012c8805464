package results

import (
	"strings"

	"killick/rawjson"
)

// The members of what Codex's shell returned (0.40), of a failed result of MCP, and of what stands
// for an exception.
var (
	shellMembers  = set("output", "metadata")
	mcpMembers    = set("content", "isError", "structuredContent", "_meta")
	thrownMembers = set("error")
)

// clawMembers are the members of OpenClaw's (2026.9.6) report of a call that failed.
var clawMembers = set("status", "tool", "error")

// clawFailed reports whether an object is that report, which names the tool. A tool that only shows
// something may have been asked for such an object.
func (c *Call) clawFailed(object rawjson.Value) bool {
	return !c.Reads && !c.OnlyReads() && object.Get("status").Is("error") &&
		object.Get("tool").Is(c.Name) && object.Get("error").Kind() == rawjson.String &&
		onlyHas(object, clawMembers)
}

// isShellResult reports whether an object is what Codex's shell returned. A command that only shows
// something may show such an object.
func (c *Call) isShellResult(object rawjson.Value) bool {
	return codexFrame.tools[c.Tool] && c.Runs && !c.OnlyReads() &&
		object.Get("output").Kind() == rawjson.String &&
		object.Get("metadata").Kind() == rawjson.Object && onlyHas(object, shellMembers)
}

// shellOutput returns the output in such an object.
func (c *Call) shellOutput(result string) (output string, ok bool) {
	if !strings.HasPrefix(result, "{") || !codexFrame.tools[c.Tool] {
		return "", false
	}
	object := rawjson.Only(result)
	if object == nil || !c.isShellResult(object) {
		return "", false
	}
	return object.Get("output").Text(), true
}

// kitFailed reports whether an object is what Inngest's AgentKit (0.13.2) makes of an exception,
// with a mark. A tool that only shows something may have been asked for such an object.
func (c *Call) kitFailed(object rawjson.Value) bool {
	thrown := object.Get("error")
	return !c.Reads && !c.OnlyReads() && onlyHas(object, thrownMembers) &&
		isError(thrown.Get("__serialized")) && thrown.Get("name").Kind() == rawjson.String &&
		thrown.Get("message").Kind() == rawjson.String
}

func isError(v rawjson.Value) bool { return string(v) == "true" }

// statusOfObject reads a JSON result. Six forms state a status: the reports of OpenClaw, VoltAgent
// and AgentKit, what Codex's shell returned in earlier versions, a result of MCP, and what stands
// for an exception. Any other object is what the tool was asked for, such as a job with its exit
// code or a payment with its error.
func (c *Call) statusOfObject(object rawjson.Value) (Status, int) {
	switch metadata := object.Get("metadata"); {
	case c.clawFailed(object), c.voltFailed(object), c.kitFailed(object):
		return Failed, -1
	case c.Runs:
		code, ok := number(string(metadata.Get("exit_code")))
		if !ok || !c.isShellResult(object) {
			return Unknown, -1
		}
		if code == 0 {
			return OK, code
		}
		return Failed, code
	case !c.Reads && IsMCP(object):
		return Failed, -1
	case c.Writes && isThrown(object):
		return Failed, -1
	}
	return Unknown, -1
}

// IsMCP reports whether an object is the result of a tool of MCP that failed.
func IsMCP(object rawjson.Value) bool {
	return isError(object.Get("isError")) && object.Get("content").Kind() == rawjson.Array &&
		onlyHas(object, mcpMembers)
}

// voltFailed reports whether an object is VoltAgent's (2.10.0) report of a call that failed, which
// names the call and the tool. A tool that only shows something may have been asked for such an
// object.
func (c *Call) voltFailed(object rawjson.Value) bool {
	return !c.Reads && !c.OnlyReads() && isError(object.Get("error")) &&
		object.Get("toolName").Is(c.Name) && object.Get("toolCallId").Kind() == rawjson.String &&
		object.Get("message").Kind() == rawjson.String
}

// isThrown reports whether an object is what TanStack AI (0.58.0) answers if a tool throws: it has
// the message of the error alone.
func isThrown(object rawjson.Value) bool {
	message := object.Get("error")
	return message.Kind() == rawjson.String && len(message) > 2 && onlyHas(object, thrownMembers)
}

// onlyHas reports whether an object has no members but these.
func onlyHas(object rawjson.Value, names map[string]bool) bool {
	for name := range object.Members() {
		if !names[name.Text()] {
			return false
		}
	}
	return true
}

// LooksFailed reports whether an object may be the report of a failure, of a command if runs is
// set.
func LooksFailed(object rawjson.Value, runs bool) bool {
	if object.Get("output") != nil || object.Get("stdout") != nil || object.Get("stderr") != nil {
		for _, value := range []rawjson.Value{object, object.Get("metadata")} {
			if code, ok := ExitMember(value); ok && code != 0 {
				return true
			}
		}
	}
	return !runs && (failedMember(object) || string(object.Get("success")) == "false" ||
		string(object.Get("ok")) == "false")
}

// ExitMember returns the exit code that is a member of an object.
func ExitMember(object rawjson.Value) (code int, ok bool) {
	for _, name := range []string{"exit_code", "exitCode", "returncode"} {
		if v := object.Get(name); v.Kind() == rawjson.Number {
			if code, ok = number(string(v)); ok {
				return code, true
			}
		}
	}
	return 0, false
}

// failedMember reports whether an object has a member that says that something failed.
func failedMember(object rawjson.Value) bool {
	if isError(object.Get("is_error")) || isError(object.Get("isError")) {
		return true
	}
	switch v := object.Get("error"); v.Kind() {
	case rawjson.String:
		return len(v) > 2
	case rawjson.Object:
		return true
	case rawjson.Bool:
		return isError(v)
	}
	return false
}

// outcomeOf reads how the last of several commands ended, from a list with the outcome of each.
func outcomeOf(output rawjson.Value) (Status, int) {
	var last rawjson.Value
	for chunk := range output.Elements() {
		last = chunk.Get("outcome")
	}
	switch code, ok := ExitMember(last); {
	case last.Get("type").Is("timeout"):
		return Failed, -1
	case ok && code == 0:
		return OK, code
	case ok:
		return Failed, code
	}
	return Unknown, -1
}
