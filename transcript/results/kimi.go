package results

import "strings"

// Forms of Kimi Code (2.1.0).

// The lines before the report of any call that failed. A line with the time that the call took may
// precede them.
const (
	kimiError      = "<system>ERROR: Tool execution failed.</system>"
	kimiEmptyError = "<system>ERROR: Tool execution failed. Tool output is empty.</system>"
)

// cutKimiError returns how many bytes Kimi Code's frame takes at the beginning of a result.
func cutKimiError(head string) int {
	rest := head
	if line, after, _ := strings.Cut(head, "\n"); strings.HasPrefix(line, "Wall time: ") &&
		strings.HasSuffix(line, " seconds") {
		rest = after
	}
	for _, frame := range []string{kimiError, kimiEmptyError} {
		if after, ok := strings.CutPrefix(rest, frame); ok {
			return len(head) - len(strings.TrimPrefix(after, "\n"))
		}
	}
	return 0
}

// kimiTimed are the tools of Kimi Code (2.1.0) whose results begin with the time that the call
// took. Those of servers do too.
var kimiTimed = set("Bash", "Grep", "Glob", "WebSearch", "FetchURL", "Agent", "AgentSwarm")

// cutKimiTime returns a result of such a tool without that line: "Wall time: 0.175 seconds".
func (c *Call) cutKimiTime(result string) string {
	line, rest, _ := strings.Cut(result, "\n")
	seconds, ok := strings.CutPrefix(line, "Wall time: ")
	seconds, of := strings.CutSuffix(seconds, " seconds")
	whole, thousandths, _ := strings.Cut(seconds, ".")
	if _, isNumber := number(whole); ok && of && isNumber && len(thousandths) == len("175") &&
		(kimiTimed[c.Name] || strings.HasPrefix(c.Name, "mcp__")) {
		return rest
	}
	return result
}

// kimiRuns reports whether a result says that the command goes on: it has the number of a task and
// of a process instead of an output.
func kimiRuns(result string) bool {
	_, task, timed := strings.Cut(result, " seconds\ntask_id: ")
	_, process, _ := strings.Cut(task, "\n")
	return timed && strings.HasPrefix(result, "Wall time: ") &&
		strings.HasPrefix(process, "pid: ") && strings.Contains(process, "\nstatus: running\n")
}

// withoutKimiTask returns the end of a result without the lines after that of the exit code, which
// say where a long output can be read.
func withoutKimiTask(tail string) string {
	at := strings.LastIndex(tail, "\ntask_id: ")
	if at >= 0 && strings.HasSuffix(tail, " to query the task output.") &&
		strings.Contains(tail[at:], "\nnext_step: Use TaskOutput(task_id=") {
		return strings.TrimRight(tail[:at], "\n")
	}
	return tail
}

// withoutKimiStatus returns what the tool for files answers without the line about the lines that
// were read: "<system>9 lines read from file starting from line 1. Total lines in file: 9. …". The
// lines have numbers, so it says nothing more. Of a part of a line, nothing is returned.
func withoutKimiStatus(result string) (lines string, ok bool) {
	at := strings.LastIndexByte(result, '\n') + 1
	status := result[at:]
	if !strings.HasPrefix(status, "<system>") || !strings.HasSuffix(status, "</system>") ||
		!strings.Contains(status, " read from file") ||
		!strings.Contains(status, " Effective max_chars: ") {
		return result, false
	}
	if strings.Contains(status, " fragment: columns [") {
		return "", true
	}
	return result[:at], true
}

// kimiReport returns what a sub-agent of Kimi Code reported that came to its end: without the
// members before it, and without how it can be asked to go on.
func kimiReport(result string) (report string, ok bool) {
	members, rest, found := strings.Cut(result, "\n\n[summary]\n")
	at := strings.LastIndex(rest, "\n\nresume_hint: Continue with Agent(resume=\"")
	if !found || at < 0 || !strings.HasPrefix(members, "agent_id: ") ||
		!strings.HasSuffix(members, "\nstatus: completed\nstop_reason: completed") {
		return "", false
	}
	return rest[:at], true
}
