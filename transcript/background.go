package transcript

import (
	"strconv"
	"strings"
)

// taskTool is the tool of Claude Code (2.1.330), TaskOutput, that returns what a command in the
// background printed, and taskBegun begins the result of a call that starts one.
const (
	taskTool  = "taskoutput"
	taskBegun = "Command running in background with ID: "
)

// taskReport is what that tool says of a command.
type taskReport struct{ id, status, code, output string }

// readTaskReport reads a result of that tool: members as tags, with the output last. ok is false if
// it is about something else, such as a sub-agent.
func readTaskReport(result string) (r taskReport, ok bool) {
	rest, retrieval, kind := result, "", ""
	for _, m := range []struct {
		name string
		into *string
	}{{"retrieval_status", &retrieval}, {"task_id", &r.id}, {"task_type", &kind},
		{"status", &r.status}, {"exit_code", &r.code}} {
		inner, found := strings.CutPrefix(rest, "<"+m.name+">")
		if !found && m.into != &r.code {
			return taskReport{}, false
		} else if found {
			*m.into, rest, _ = strings.Cut(inner, "</"+m.name+">")
			rest = strings.TrimLeft(rest, "\r\n")
		}
	}
	if inner, found := strings.CutPrefix(rest, "<output>"); found {
		r.output = strings.TrimSuffix(strings.TrimRight(inner, "\r\n"), "</output>")
	}
	return r, kind == "local_bash" && isSession(r.id)
}

// task is for reports on commands in the background.
func (r *reported) task() (Status, int, bool) {
	report, ok := readTaskReport(r.head)
	if !ok || r.tool != taskTool {
		return Unknown, -1, false
	}
	switch code, err := strconv.Atoi(report.code); {
	case err != nil:
		return Unknown, -1, true
	case code == 0:
		return OK, code, true
	default:
		return Failed, code, true
	}
}
