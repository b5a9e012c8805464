package transcript

import (
	"slices"
	"strings"

	"killick/rawjson"
	"killick/transcript/speech"
	"killick/view"
)

// refusals are the beginnings of results of calls that were not allowed to run.
var refusals = []string{
	// Claude Code 2.1.330 and 1.0.128.
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied.",
	"Permission for this action has been denied. Reason: ",
	"Permission for this action was denied by the Claude Code auto mode classifier. Reason: ",
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
	"Permission denied because the assisted approval check did not approve this request.",
	"Permission denied because an interactive user response was not obtained.",
	"Permission denied because no interactive user response was available.",
	"Permission denied because no permission response path was available.",
	"Permission denied by host policy.", "Permission to run this tool was denied by a deny rule.",
	"The pending permission request was cancelled before the tool could continue.",
	"Permission denied by user", "Command blocked by security policy",
	"Tool execution was not approved.", // OpenAI's Agents SDK 0.20.0
}

// refusalsOf are refusals that name what was not allowed.
var refusalsOf = []struct{ start, has string }{
	// Claude Code 2.1.330 and 1.0.128
	{"Permission to use ", " has been denied"},
	{"Permission to read ", " has been denied"},
	{"Permission to edit ", " has been denied"},
	{"Claude requested permissions to ", ", but you haven't granted it yet."},
	{`Tool execution for "`, `" denied by policy.`},     // gemini-cli 0.61.0
	{"User rejected the tool call for `", "` with id "}, // LangChain 1.5.14
}

// RefusalWords returns what a person typed when they did not let a call run, by the result of the
// call, "" if it holds no words (Claude Code 2.1.330).
func RefusalWords(result string) string {
	if !strings.HasPrefix(result, refusals[0]) {
		return ""
	}
	_, words, _ := strings.Cut(speech.WithoutReminders(result),
		" To tell you how to proceed, the user said:\n")
	return strings.TrimSpace(words)
}

// readStatus sets how the call ended, by its result m, whose text decode returns.
func (c *Call) readStatus(m *view.Message, decode func() string) {
	head, tail := ends(m, decode)
	head, tail = speech.WithoutReminders(head), speech.WithoutReminders(tail)
	var object rawjson.Value // of a JSON result
	if strings.HasPrefix(head, "{") {
		object = rawjson.Only(speech.WithoutReminders(decode()))
	}
	c.Status, c.Exit = c.statusOf(m, head, tail, object)
	if c.Status != Unknown {
		return
	}
	c.doubtful = c.looksFailed(head, tail) || object != nil && c.looksFailedIn(object)
	// For a command, false only means that the tool worked: opencode says so of those that failed.
	if c.Effect != Runs && deniesError(m) && !c.doubtful {
		c.Status = OK
	}
}

// reported is the result of a call, as its status is read.
type reported struct {
	*Call
	m          *view.Message
	head, tail string
	object     rawjson.Value // of a JSON result
	marked     bool          // the message says that the call failed
}

// statusRules are where the status of a call is, the first that states one. What may be the content
// of a file, the output of a program or data that the tool was asked for does not count.
var statusRules = []func(r *reported) (s Status, exit int, stated bool){
	(*reported).refused, (*reported).tools, (*reported).outcome, (*reported).task,
	(*reported).items, (*reported).exit, (*reported).failed, (*reported).inObject,
	(*reported).stopped, (*reported).written, (*reported).completed,
}

// statusOf reads the status in the result m of a call.
func (c *Call) statusOf(
	m *view.Message, head, tail string, object rawjson.Value,
) (Status, int) {
	marked := m.Is(view.Failed) || isError(m.Field("is_error")) || isError(m.Field("isError")) ||
		m.Field("status").Is("failed")
	r := &reported{c, m, head, tail, object, marked}
	for _, rule := range statusRules {
		if status, exit, stated := rule(r); stated {
			return status, exit
		}
	}
	return Unknown, -1
}

// refused is for calls that were not allowed to run.
func (r *reported) refused() (Status, int, bool) {
	return Refused, -1, isRefusal(r.head) &&
		(r.marked || r.onlyWrites() || isWholeRefusal(r.head)) ||
		r.onlyWrites() && isUnread(r.head)
}

// tools is for reports of tools that frame what programs print: Codex's (0.169), and OpenHands'.
func (r *reported) tools() (Status, int, bool) {
	if start := codexFailures[r.tool]; start != "" && strings.HasPrefix(r.head, start) {
		return Failed, -1, true
	}
	_, ran, ok := handsNotice(r.tail)
	return Failed, -1, ok && !ran && r.ofAgent(handsFrame, r.m)
}

// outcome is for results with the outcome in a member.
func (r *reported) outcome() (Status, int, bool) {
	status, code := outcomeOf(r.m.Field("output"))
	return status, code, status != Unknown
}

// items is for calls with several items, each with its own status.
func (r *reported) items() (Status, int, bool) {
	if !itemTools[r.tool] || !listsItems(r.head) {
		return Unknown, -1, false
	}
	items, ok := itemsOf(strings.TrimSpace(r.m.Text()))
	if !ok {
		return Unknown, -1, false
	}
	status, code := statusOfItems(items, r.Effect == Runs)
	return status, code, true
}

// exit is for commands whose exit code is in a frame.
func (r *reported) exit() (Status, int, bool) {
	code, ok := r.exitFrame(r.m, r.head, r.tail)
	if ok && code == 0 && !r.marked {
		return OK, code, true
	}
	return Failed, code, ok
}

// failed is for results that are marked as failed, or that name the failure.
func (r *reported) failed() (Status, int, bool) {
	if r.marked || strings.HasPrefix(r.head, droidError) && r.ofAgent(droidFrame, r.m) {
		return Failed, -1, true
	}
	return Failed, -1, !deniesError(r.m) && (!r.OnlyReads() && r.namesFailed(r.head) ||
		inToolError(r.head, r.tail) && r.numbersLines())
}

// inObject is for JSON results.
func (r *reported) inObject() (Status, int, bool) {
	if r.object == nil {
		return Unknown, -1, false
	}
	status, code := r.statusOfObject(r.object)
	return status, code, status != Unknown
}

// stopped is for programs that were stopped before they ended.
func (r *reported) stopped() (Status, int, bool) {
	before, behind := r.cutStop(r.m, unwrapped(r.head), unwrapped(r.tail))
	return Failed, -1, before+behind > 0
}

// written is for the words with which tools that write report success and failure.
func (r *reported) written() (Status, int, bool) {
	if !r.onlyWrites() || deniesError(r.m) {
		return Unknown, -1, false
	}
	status := statusOfWords(r.head, r.tail)
	return status, -1, status != Unknown
}

// completed is for patches. For other tools, it means that the output is complete, not that the
// call succeeded.
func (r *reported) completed() (Status, int, bool) {
	return OK, -1, knownTools[r.tool] == patches && r.m.Field("status").Is("completed")
}

// codexFailures begin the results of Codex's tools (0.169) that could not do what they were asked.
var codexFailures = map[string]string{"exec": scriptFailed, waitTool: scriptFailed,
	"writestdin": "write_stdin failed: ", "execcommand": "exec_command failed"}

// onlyWrites reports whether the call is one of a known tool that writes or deletes files. Its
// result is the tool's report, and never data.
func (c *Call) onlyWrites() bool {
	return c.Known() && (c.Effect == Writes || c.Effect == Deletes)
}

// numbersLines reports whether the call's result cannot be the text of a file or a log as it is:
// it does not only show something, or the tool puts numbers or names before lines, as those of
// Claude Code do.
func (c *Call) numbersLines() bool {
	return claudeReads[c.Name] || c.Effect != Reads && !c.OnlyReads()
}

// claudeReads are the tools of Claude Code (2.1.330, 1.0.128) that read and search files.
var claudeReads = set("Read", "Grep", "Glob", "LS", "NotebookRead")

// isRefusal reports whether a result begins like those of calls that were not allowed to run.
func isRefusal(head string) bool {
	for _, r := range refusalsOf {
		if strings.HasPrefix(head, r.start) && strings.Contains(head, r.has) {
			return true
		}
	}
	return slices.ContainsFunc(refusals, func(begin string) bool {
		return strings.HasPrefix(head, begin)
	})
}

// isWholeRefusal reports whether a result that begins like a refusal holds nothing else: it has one
// line, or goes on with a person's words.
func isWholeRefusal(head string) bool {
	first, rest, _ := strings.Cut(head, "\n")
	return rest == "" || strings.HasSuffix(first, " the user said:") ||
		strings.Contains(first, " with the following feedback: ") // opencode 1.18.34
}

// isUnread reports whether a file was not changed because it had not been read (qwen-code 0.24.4).
func isUnread(head string) bool {
	return strings.HasPrefix(head, "File ") &&
		strings.Contains(head, " has not been read in this session. Use the ")
}

// deniesError reports whether the API says that the call did not fail.
func deniesError(m *view.Message) bool {
	return string(m.Field("is_error")) == "false" || string(m.Field("isError")) == "false"
}

// looksFailed reports whether a result that states no status may yet be the report of a failure:
// nothing is derived from what such a call would have done.
func (c *Call) looksFailed(head, tail string) bool {
	code, _, ok := exitCode(head, tail)
	by, _, _ := stopped(unwrapped(head), unwrapped(tail))
	_, _, goesOn := handsNotice(tail)
	switch {
	case goesOn && handsFrame.tools[c.tool]:
		return true
	case isRefusal(head), isUnread(head), inToolError(head, tail), ok && code != 0,
		strings.HasPrefix(head, scriptFailed), by != nil, c.namesFailed(head):
		return true
	case c.Effect != Runs && statusOfWords(head, tail) == Failed:
		return c.Effect != Reads || !strings.Contains(head, "\n")
	}
	return false
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

// statusOfObject reads a JSON result. Six forms state a status: the reports of OpenClaw, VoltAgent
// and AgentKit, what Codex's shell returned in earlier versions, a result of MCP, and what stands
// for an exception. Any other object is what the tool was asked for, such as a job with its exit
// code or a payment with its error.
func (c *Call) statusOfObject(object rawjson.Value) (Status, int) {
	switch metadata := object.Get("metadata"); {
	case c.clawFailed(object), c.voltFailed(object), c.kitFailed(object):
		return Failed, -1
	case c.Effect == Runs:
		code, ok := number(string(metadata.Get("exit_code")))
		if !ok || !c.isShellResult(object) {
			return Unknown, -1
		}
		if code == 0 {
			return OK, code
		}
		return Failed, code
	case c.Effect != Reads && isMCP(object):
		return Failed, -1
	case c.onlyWrites() && isThrown(object):
		return Failed, -1
	}
	return Unknown, -1
}

// The members of what Codex's shell returned (0.40), and of a failed result of MCP.
var (
	shellMembers = set("output", "metadata")
	mcpMembers   = set("content", "isError", "structuredContent", "_meta")

	thrownMembers = set("error")
)

// isMCP reports whether an object is the result of a tool of MCP that failed.
func isMCP(object rawjson.Value) bool {
	return isError(object.Get("isError")) && object.Get("content").Kind() == rawjson.Array &&
		onlyHas(object, mcpMembers)
}

// voltFailed reports whether an object is VoltAgent's (2.10.0) report of a call that failed, which
// names the call and the tool. A tool that only shows something may have been asked for such an
// object.
func (c *Call) voltFailed(object rawjson.Value) bool {
	return c.Effect != Reads && !c.OnlyReads() && isError(object.Get("error")) &&
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

// looksFailedIn reports whether an object may be the report of a failure.
func (c *Call) looksFailedIn(object rawjson.Value) bool {
	if object.Get("output") != nil || object.Get("stdout") != nil || object.Get("stderr") != nil {
		for _, value := range []rawjson.Value{object, object.Get("metadata")} {
			if code, ok := exitMember(value); ok && code != 0 {
				return true
			}
		}
	}
	return c.Effect != Runs && (failedMember(object) || string(object.Get("success")) == "false" ||
		string(object.Get("ok")) == "false")
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
