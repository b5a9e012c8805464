package conversation

import (
	"regexp"
	"strings"
)

// What Claude Code and Kimi Code return of a command in the background: that it goes on there, how
// it stands, and that it was ended.
var (
	taskBegun = regexp.MustCompile(`^Command (?:running in background with ID: |was manually ` +
		`backgrounded by user with ID: |.*moved to the background \(ID: )(\w{1,20})\b`)
	taskForm = regexp.MustCompile(`(?s)^<retrieval_status>\w*</retrieval_status>\s*` +
		`<task_id>([0-9A-Za-z]{1,20})</task_id>\s*<task_type>local_bash</task_type>\s*` +
		`<status>(\w*)</status>\s*(?:<exit_code>(-?\d+)</exit_code>\s*)?` +
		`(?:<output>(.*)</output>)?`)
	kimiForm = regexp.MustCompile(`(?s)^Wall time: [\d.]+ seconds\nretrieval_status: \w+\n` +
		`task_id: ([\w-]+)\n(?:.*\n)?status: (\w+)\n(?:.*\n)?kind: process\n.*\npid: \d+\n` +
		`(?:exit_code: (-?\d+)\n)?.*?output_size_bytes: .*?\n\[output\]\n(.*)$`)
	// Copilot CLI's, in the last line
	shellEnd = regexp.MustCompile(`^<(?:detached command with )?shellId: ([\w-]+) completed with ` +
		`exit code (-?\d+)>$`)
	shellOn = regexp.MustCompile(`^<command (?:with|started in (?:detached )?background with) ` +
		`shellId: ([\w-]+)(?: is still running .*|\. .*)?>$`)
	ohMyOn    = regexp.MustCompile(`^Backgrounded as job ([\w-]+); result will be delivered `)
	shellStop = regexp.MustCompile(`^<command with id: ([\w-]+) (?:had already )?stopped>$`)

	hubStop  = regexp.MustCompile(`^## Cancelled \(1\)\s+- Cancelled background job ([\w-]+)\.`)
	stopForm = regexp.MustCompile(`^(?:\{"message":"Successfully (?:stopped task|killed shell): ` +
		`(\w+) \(|` +
		`Wall time: [\d.]+ seconds\ntask_id: ([\w-]+)\nstatus: \w+\nreason: )`)
)

// task returns what the result of TaskOutput says: the id, the status, the exit code, the output.
// The code of a command that was ended says nothing of it.
func (c *Call) task() (id, status, code, output string, ok bool) {
	if c.Tool == "read_bash" || c.Tool == "read_powershell" {
		text := strings.TrimSpace(c.Result.Text())
		output, last := text[:strings.LastIndexByte(text, '\n')+1], text[strings.LastIndexByte(text,
			'\n')+1:]
		if found := shellEnd.FindStringSubmatch(last); found != nil {
			return found[1], "completed", found[2], output, true
		}
		if found := shellOn.FindStringSubmatch(last); found != nil {
			return found[1], "running", "", output, true
		}
	}
	if c.Tool != "TaskOutput" {
		return "", "", "", "", false
	}
	for _, form := range []*regexp.Regexp{taskForm, kimiForm} {
		if found := form.FindStringSubmatch(c.Result.Text()); found != nil {
			if found[2] == "killed" {
				found[3] = ""
			}
			return found[1], found[2], found[3], found[4], true
		}
	}
	return "", "", "", "", false
}

// StoppedBy reports whether a message up to number last says that what went on after the result
// was stopped before it had ended by itself.
func (c *Call) StoppedBy(last int) bool {
	if c.Stopped == nil || c.Stopped.Result.Number > last {
		return false
	}
	if c.Stopped.Tool == "write_stdin" || c.Stopped.Tool == "hub" {
		return true
	}
	text := strings.TrimSpace(c.Stopped.Result.Text())
	return strings.HasPrefix(text, "{") || strings.Contains(text, "\nstatus: killed\n") ||
		shellStop.MatchString(text) && !strings.Contains(text, " already stopped>")
}

// interrupts reports whether a call writes Ctrl-C to a session, and nothing else.
func (c *Call) interrupts() bool {
	return c.Tool == "write_stdin" && c.Named("chars") == "\x03"
}

// stops returns the task that a call ended, "" if there is none.
func (c *Call) stops() string {
	if c.interrupts() {
		if _, _, ok := c.statedExit(strings.TrimSpace(c.Result.Text())); ok {
			return c.Named("session_id")
		}
		return ""
	}
	if c.Tool == "stop_bash" || c.Tool == "stop_powershell" {
		if found := shellStop.FindStringSubmatch(strings.TrimSpace(c.Result.Text())); found != nil {
			return found[1]
		}
		return ""
	}
	if found := hubStop.FindStringSubmatch(c.Result.Text()); found != nil && c.Tool == "hub" {
		return found[1]
	}
	found := stopForm.FindStringSubmatch(c.Result.Text())
	if c.Hosted || found == nil || c.Tool != "TaskStop" &&
		!strings.HasPrefix(c.Tool, "Kill") {
		return ""
	}
	return found[1] + found[2]
}
