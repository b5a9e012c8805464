package transcript

import (
	"bytes"
	"slices"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// Status is how a call ended, by explicit statements in its result.
type Status byte

// The statuses. Without an explicit statement the status is Unknown. The output of a command is
// never such a statement, whatever it says.
const (
	Unknown Status = iota
	OK
	Failed
	Refused // the person or the client did not allow it to run
)

// refusals are the beginnings of results of calls that were not allowed to run.
var refusals = []string{
	// Claude Code 2.1.330 and 1.0.128.
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied.",
	"[Request interrupted by user for tool use]",

	"exec command rejected by user", "patch rejected by user", // Codex 0.169

	// opencode 1.18.34 and 1.2.27.
	"The user rejected permission to use this specific tool call",
	"The user has specified a rule which prevents you from using this specific tool call",

	// qwen-code 0.24.4, gemini-cli 0.61.0.
	"[Operation Cancelled]", "Tool execution denied by policy.",
	"Command was cancelled by user before it could start.",
	`This "run_shell_command" invocation was denied by permission rules.`,
	"[tool_call bridge refused] ", "[tool_call bridge cancelled] ",

	// Cline 3.0.65 and 2.18.0.
	"This tool call was rejected by the user and not executed", "Tool was not executed",
	"The user denied this operation.", "The user denied this patch operation.",

	// Copilot CLI 1.0.102 and 1.0.0; Continue 1.5.47.
	"The user rejected this tool call.",
	"Permission denied and could not request permission from user",
	"Permission denied by user", "Command blocked by security policy",
}

// RefusalWords returns what a person typed when they did not let a call run, by the result of the
// call, "" if it holds no words (Claude Code 2.1.330).
func RefusalWords(result string) string {
	if !strings.HasPrefix(result, refusals[0]) {
		return ""
	}
	_, words, _ := strings.Cut(result, " To tell you how to proceed, the user said:\n")
	return strings.TrimSpace(words)
}

// endBytes is how much of a long result is decoded at each end.
const endBytes = 2000

// statusOf reads the status in the result m of a call. If the call runs a command, only the agent's
// frame around the output counts; if it reads a file, the content of the file does not count.
func statusOf(m *view.Message, c *Call) (Status, int) {
	head, tail := ends(m)
	for _, r := range refusals {
		if strings.HasPrefix(head, r) {
			return Refused, -1
		}
	}
	// qwen-code 0.24.4
	if strings.HasPrefix(head, "File ") &&
		strings.Contains(head, " has not been read in this session. Use the ") {
		return Refused, -1
	}
	if c.Effect == Runs && strings.HasPrefix(head, scriptFailed) {
		return Failed, -1
	}
	marked := isError(m.Field("is_error")) || isError(m.Field("isError")) ||
		m.Field("status").Is("failed")
	if status, code := outcomeOf(m.Field("output")); status != Unknown {
		return status, code
	}
	if listsItems(head) {
		if items, ok := itemsOf(strings.TrimSpace(m.Text())); ok {
			return statusOfItems(items, c.Effect == Runs)
		}
	}
	if code, ok := exitFrame(head, tail, c.Effect); ok {
		if code == 0 && !marked {
			return OK, code
		}
		return Failed, code
	}
	// Claude Code
	if marked || strings.HasPrefix(head, "<tool_use_error>") &&
		strings.HasSuffix(tail, "</tool_use_error>") {
		return Failed, -1
	}
	if strings.HasPrefix(head, "{") && !c.readsJSON() {
		if status, code := c.statusOfObject(m); status != Unknown {
			return status, code
		}
	}
	if c.Effect == Runs && timedOut(head, tail) {
		return Failed, -1
	}
	if c.Effect != Runs {
		if status := statusOfWords(head, tail, c.Effect == Reads); status != Unknown {
			return status, -1
		}
		if string(m.Field("is_error")) == "false" || string(m.Field("isError")) == "false" {
			return OK, -1
		}
		// For other tools, it means that the output is complete, not that the call succeeded.
		if knownTools[toolName(c.Name)] == patches && m.Field("status").Is("completed") {
			return OK, -1
		}
	}
	return Unknown, -1
}

// outcomeOf reads how the last of several commands ended, from a list with the outcome of each.
func outcomeOf(output rawjson.Value) (Status, int) {
	var last rawjson.Value
	for chunk := range output.Elements() {
		last = chunk.Get("outcome")
	}
	switch code, ok := exitMember(last); {
	case last.Get("type").Is("timeout"):
		return Failed, -1
	case ok && code == 0:
		return OK, code
	case ok:
		return Failed, code
	}
	return Unknown, -1
}

func isError(v rawjson.Value) bool { return string(v) == "true" }

// readsJSON reports whether the call shows a file that may itself be a JSON object.
func (c *Call) readsJSON() bool {
	if c.Effect != Reads {
		return false
	}
	for _, p := range c.Paths {
		if strings.Contains(strings.ToLower(p.Name), ".json") {
			return true
		}
	}
	return false
}

// failures are the beginnings of results of failed calls. Those in oneLine may also begin a file,
// so for a read they count only if the result is a single line.
var (
	failures = []string{
		"apply_patch verification failed: ", "write_stdin failed: ", // Codex 0.169
		"The tool execution failed with the following error:", // Cline 2.18.0
		"Error executing tool",                                // Continue 1.5.47
		"Failed to edit, ",                                    // qwen-code 0.24.4
		"Could not find oldString in the file",                // opencode 1.18.33
		"Could not find the exact text in ",                   // pi 0.74.2
		"String to replace not found in file",                 // Claude Code 2.1.330
		"File has not been read yet. Read it first",           // Claude Code 2.1.330
		// Anthropic's text editor and memory tools, as documented; OpenHands' editor
		"No replacement was performed", "ERROR:\nNo replacement was performed",
	}
	oneLine = []string{"Error: ", "ERROR: ",
		"File not found: ",         // qwen-code 0.24.4, opencode 1.18.33
		"ENOENT: no such file",     // pi 0.74.2
		"ripgrep execution failed", // opencode 1.18.33
		"File does not exist.",     // Claude Code 2.1.330
	}
)

// timedOut reports whether the agent's frame says that the command took too long.
func timedOut(head, tail string) bool {
	// qwen-code 0.24.4, Claude Code 2.1.330
	if strings.HasPrefix(head, "Command timed out after ") {
		return true
	}
	if strings.HasSuffix(tail, "</shell_metadata>") { // opencode 1.18.33
		i := strings.LastIndex(tail, "<shell_metadata>\n")
		return i >= 0 && strings.Contains(tail[i:], "terminated command after exceeding timeout")
	}
	last := tail[strings.LastIndexByte(tail, '\n')+1:]
	// pi 0.74.2
	return strings.HasPrefix(last, "Command timed out after ") &&
		strings.HasSuffix(last, " seconds")
}

// statusOfWords reads the fixed sentences by which tools report how they ended.
func statusOfWords(head, tail string, reads bool) Status {
	switch {
	// Copilot CLI 1.0.102
	case strings.HasPrefix(head, "<error>") && strings.HasSuffix(tail, "</error>"):
		return Failed
	case strings.HasPrefix(head, "Success. Updated the following files:\n"): // Codex 0.169
		return OK
	}
	for _, start := range failures {
		if strings.HasPrefix(head, start) {
			return Failed
		}
	}
	for _, start := range oneLine {
		if strings.HasPrefix(head, start) && !(reads && strings.Contains(head, "\n")) {
			return Failed
		}
	}
	return Unknown
}

// statusOfObject reads the status members of a JSON result. Only members beside an output belong to
// the agent's frame: for a command no others count, and an exit code elsewhere is what the tool was
// asked for, as that of a job.
func (c *Call) statusOfObject(m *view.Message) (Status, int) {
	object := rawjson.Value(strings.TrimSpace(m.Text()))
	if object.Get("output") != nil || object.Get("stdout") != nil || object.Get("stderr") != nil {
		for _, value := range []rawjson.Value{object, object.Get("metadata")} {
			if code, ok := exitMember(value); ok {
				if code == 0 {
					return OK, code
				}
				return Failed, code
			}
		}
	}
	if c.Effect == Runs {
		return Unknown, -1
	}
	went, stated := "", false
	for _, name := range []string{"success", "ok"} {
		if v := object.Get(name); !stated && v.Kind() == rawjson.Bool {
			went, stated = string(v), true
		}
	}
	failed := failedMember(object)
	switch {
	case went == "true" && failed:
		return Unknown, -1 // it contradicts itself
	case went == "true":
		return OK, -1
	case stated, marksError(object), failed && c.onlyReports(object):
		return Failed, -1
	}
	return Unknown, -1
}

// reportMembers are the members that results of failed calls have beside "error". With others the
// result may be a record of something that has an error, as of a job or an incident.
var reportMembers = set(strings.Fields("error errors message msg detail details reason code " +
	"status statuscode errorcode errortype type hint description help stack trace traceback " +
	"success ok iserror requestid timestamp exitcode content")...)

// onlyReports reports whether an object says nothing but that the call failed: its other members
// are empty, repeat an argument of the call, or describe an error.
func (c *Call) onlyReports(object rawjson.Value) bool {
	for name, v := range object.Members() {
		if reportMembers[keyName(name.Text())] || len(v) <= 2 || string(v) == "null" ||
			string(v) == "false" {
			continue
		}
		value := string(v)
		if v.Kind() == rawjson.String {
			value = v.Text()
		}
		if !slices.ContainsFunc(c.Args, func(a Argument) bool { return a.Text == value }) {
			return false
		}
	}
	return true
}

func exitMember(object rawjson.Value) (code int, ok bool) {
	for _, name := range []string{"exit_code", "exitCode", "returncode"} {
		if v := object.Get(name); v.Kind() == rawjson.Number {
			if code, ok = number(string(v)); ok {
				return code, true
			}
		}
	}
	return 0, false
}

// marksError reports whether an object has the member with which results of MCP report failures.
func marksError(object rawjson.Value) bool {
	return isError(object.Get("is_error")) || isError(object.Get("isError"))
}

func failedMember(object rawjson.Value) bool {
	if marksError(object) {
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

// ends returns the beginning and the end of a result, without decoding the text between them. The
// tail begins at the start of a line.
func ends(m *view.Message) (head, tail string) {
	body := m.Content().StringBody()
	if len(body) <= 2*endBytes {
		text := strings.TrimSpace(m.Text())
		return text, text
	}
	first, _ := rawjson.CutEscaped(body[:endBytes+12], endBytes)
	last := body[len(body)-endBytes:]
	// After a space, no escape sequence is incomplete.
	if i := bytes.IndexByte(last, ' '); i >= 0 {
		_, tail, _ = strings.Cut(unescaped(last[i:]), "\n")
	}
	return strings.TrimLeft(unescaped(first), " \t\r\n"), strings.TrimSpace(tail)
}

func unescaped(body []byte) string { return rawjson.Value(`"` + string(body) + `"`).Text() }
