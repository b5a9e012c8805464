package results

import (
	"strings"

	"killick/rawjson"
	"killick/transcript/speech"
	"killick/view"
)

// Status reads how the call ended, by its result m, whose text decode returns. exit is the exit
// code, -1 if none is stated. doubtful is set if the status is Unknown, but the result may be the
// report of a failure.
func (c *Call) Status(m *view.Message, decode func() string) (s Status, exit int, doubtful bool) {
	head, tail := endsOf(m, decode)
	head, tail = speech.WithoutReminders(head), speech.WithoutReminders(tail)
	var object rawjson.Value // of a JSON result
	if strings.HasPrefix(head, "{") {
		object = rawjson.Only(speech.WithoutReminders(decode()))
	}
	if s, exit = c.statusOf(m, head, tail, object); s != Unknown {
		return s, exit, false
	}
	doubtful = c.looksFailed(head, tail) || object != nil && LooksFailed(object, c.Runs)
	// For a command, false only means that the tool worked: opencode says so of those that failed.
	if !c.Runs && deniesError(m) && !doubtful {
		s = OK
	}
	return s, exit, doubtful
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
		(r.marked || r.Writes || isWholeRefusal(r.head)) ||
		r.Writes && isUnread(r.head)
}

// tools is for reports of tools that frame what programs print: Codex's (0.169), and OpenHands'.
func (r *reported) tools() (Status, int, bool) {
	if start := codexFailures[r.Tool]; start != "" && strings.HasPrefix(r.head, start) {
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
	if !itemTools[r.Tool] || !listsItems(r.head) {
		return Unknown, -1, false
	}
	items, ok := itemsOf(strings.TrimSpace(r.m.Text()))
	if !ok {
		return Unknown, -1, false
	}
	status, code := statusOfItems(items, r.Runs)
	return status, code, true
}

// task is for reports on commands in the background.
func (r *reported) task() (Status, int, bool) {
	report, ok := r.readTask(r.head, r.tail)
	if !ok {
		return Unknown, -1, false
	}
	if backgroundTools[r.Tool].stops {
		return Unknown, -1, true // the report is not about the call
	}
	status, exit := report.ended()
	return status, exit, true
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
	if r.marked || strings.HasPrefix(r.head, droidError) && r.ofAgent(droidFrame, r.m) ||
		r.failedInBrowser() {
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
	before, after := r.cutStop(r.m, unwrapped(r.head), unwrapped(r.tail))
	return Failed, -1, before+after > 0
}

// written is for the words with which tools that write report success and failure.
func (r *reported) written() (Status, int, bool) {
	if !r.Writes || deniesError(r.m) {
		return Unknown, -1, false
	}
	status := statusOfWords(r.head, r.tail)
	return status, -1, status != Unknown
}

// completed is for patches. For other tools, it means that the output is complete, not that the
// call succeeded.
func (r *reported) completed() (Status, int, bool) {
	return OK, -1, r.Patches && r.m.Field("status").Is("completed")
}

// codexFailures begin the results of Codex's tools (0.169) that could not do what they were asked.
var codexFailures = map[string]string{"exec": ScriptFailed, "wait": ScriptFailed,
	"writestdin": "write_stdin failed: ", "execcommand": "exec_command failed"}

// numbersLines reports whether the call's result cannot be the text of a file or a log as it is:
// it does not only show something, or the tool puts numbers or names before lines, as those of
// Claude Code do.
func (c *Call) numbersLines() bool {
	return claudeReads[c.Name] || !c.Reads && !c.OnlyReads()
}

// claudeReads are the tools of Claude Code (2.1.330, 1.0.128) that read and search files.
var claudeReads = set("Read", "Grep", "Glob", "LS", "NotebookRead")

// looksFailed reports whether a result that states no status may yet be the report of a failure:
// nothing is derived from what such a call would have done.
func (c *Call) looksFailed(head, tail string) bool {
	code, _, ok := exitCode(head, tail)
	by, _, _ := stopped(unwrapped(head), unwrapped(tail))
	_, _, goesOn := handsNotice(tail)
	switch {
	case goesOn && handsFrame.tools[c.Tool]:
		return true
	case isRefusal(head), isUnread(head), inToolError(head, tail), ok && code != 0,
		strings.HasPrefix(head, ScriptFailed), by != nil, c.namesFailed(head):
		return true
	case !c.Runs && statusOfWords(head, tail) == Failed:
		return !c.Reads || !strings.Contains(afterWallTime(head), "\n")
	}
	return false
}
