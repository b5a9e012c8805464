package results

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/rawjson"
)

// backgroundTools are the tools by which agents return how a command in the background stands, or
// end it, each with the forms in which they do. A result in another form is about something else.
var backgroundTools = map[string]struct {
	read  []readTask
	stops bool // the tool ends the command or the sub-agent
}{
	"taskoutput": {[]readTask{readTaskTags, readKimiTask}, false},
	"taskstop":   {[]readTask{readTaskStop, readKimiStop}, true},
	"killshell":  {[]readTask{readTaskStop}, true}, "killbash": {[]readTask{readTaskStop}, true},

	"hub": {[]readTask{readHubStop}, true},

	"readbash": {[]readTask{readShell}, false}, "readpowershell": {[]readTask{readShell}, false},
	"stopbash": {[]readTask{readShellStop}, true}, "stoppowershell": {[]readTask{readShellStop},
		true},
}

// taskReport is what such a tool says of a command.
type taskReport struct{ id, status, code, output string }

// ended returns how the command ended, as far as the report says so.
func (r *taskReport) ended() (Status, int) {
	code, err := strconv.Atoi(r.code)
	switch {
	case r.status == "killed", r.status == "cancelled": // whatever its code
		return Stopped, -1
	case err != nil && (r.status == "failed" || r.status == "timed_out"):
		return Failed, -1
	case err != nil:
		return Unknown, -1
	case code == 0:
		return OK, code
	default:
		return Failed, code
	}
}

// readTask reads both ends of such a result. ok is false if it has another form.
type readTask func(head, tail string) (r taskReport, ok bool)

// readTask reads what the result of a tool says of a command in the background.
func (c *Call) readTask(head, tail string) (r taskReport, ok bool) {
	for _, read := range backgroundTools[c.Tool].read {
		if r, ok = read(head, tail); ok && IsSession(r.id) {
			return r, true
		}
	}
	return taskReport{}, false
}

// readTaskTags reads what Claude Code (2.1.330) says: members as tags, with the output last.
func readTaskTags(result, _ string) (r taskReport, ok bool) {
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
	return r, kind == "local_bash"
}

// readTaskStop reads what Claude Code (2.1.332, and 1.0.128 with a shell_id) answers if it ended a
// command or a sub-agent.
func readTaskStop(result, _ string) (r taskReport, ok bool) {
	object := rawjson.Only(result)
	if shell := object.Get("shell_id").Text(); shell != "" {
		return taskReport{id: shell, status: "killed"}, strings.HasPrefix(
			object.Get("message").Text(), "Successfully killed shell: "+shell+" (")
	}
	if kind := object.Get("task_type"); !kind.Is("local_bash") && !kind.Is("local_agent") {
		return taskReport{}, false
	}
	id := object.Get("task_id").Text()
	return taskReport{id: id, status: "killed"}, strings.HasPrefix(object.Get("message").Text(),
		"Successfully stopped task: "+id+" (")
}

// hubStopped is how oh-my-pi (18.2.3) begins its answer if it ended one command.
var hubStopped = regexp.MustCompile(
	`^## Cancelled \(1\)\n\n- Cancelled background job ([\w-]{1,40})\.(?:\n|$)`)

func readHubStop(result, _ string) (r taskReport, ok bool) {
	found := hubStopped.FindStringSubmatch(result)
	if found == nil {
		return taskReport{}, false
	}
	return taskReport{id: found[1], status: "killed"}, true
}

// kimiMembers are the members that are read of Kimi Code's (2.1.0) report on a task. kimiOutput is
// between the members and the output.
var kimiMembers = []string{"task_id", "status", "kind", "exit_code"}

const kimiOutput = "\n[output]\n"

// readKimiTask reads what Kimi Code (2.1.0) says: members on lines, and the output after them. The
// command is among them as it is. If one of its lines looks like a member, nothing is read.
func readKimiTask(result, _ string) (r taskReport, ok bool) {
	head, output, found := strings.Cut(result, kimiOutput)
	if !found || !strings.HasPrefix(head, "Wall time: ") ||
		!strings.Contains(head, "\noutput_size_bytes: ") {
		return taskReport{}, false
	}
	members := map[string]string{}
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		if _, again := members[name]; again && slices.Contains(kimiMembers, name) {
			return taskReport{}, false
		}
		members[name] = value
	}
	if output == "[no output available]" {
		output = ""
	}
	r = taskReport{members["task_id"], members["status"], members["exit_code"], output}
	return r, members["kind"] == "process"
}

// readKimiStop reads what Kimi Code (2.1.0) answers if it ended a task, or if that had ended.
func readKimiStop(result, _ string) (r taskReport, ok bool) {
	lines := strings.SplitN(result, "\n", 4)
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "Wall time: ") ||
		!strings.HasPrefix(lines[3], "reason: ") {
		return taskReport{}, false
	}
	id, named := strings.CutPrefix(lines[1], "task_id: ")
	status, stated := strings.CutPrefix(lines[2], "status: ")
	return taskReport{id: id, status: status}, named && stated
}

// The last lines by which Copilot CLI (1.0.102) says how a command stands: that it has ended, that
// it goes on, that it was stopped.
var (
	shellEnded = regexp.MustCompile(`^<(?:detached command with )?shellId: ([\w-]{1,20}) ` +
		`completed with exit code (-?\d+)>$`)
	shellRuns = regexp.MustCompile(`^<command (?:with shellId: ([\w-]{1,20}) is still running ` +
		`(?:in detached background )?after \d.*|started in (?:detached )?background with ` +
		`shellId: ([\w-]{1,20})(?:\. .*)?)>$`)
	shellStopped = regexp.MustCompile(`^<command with id: ([\w-]{1,20}) (had already )?stopped>$`)
)

// lastLineOf returns the end of a result in two: the lines before the last one, and that.
func lastLineOf(tail string) (before, last string) {
	tail = withoutSandbox(strings.TrimRight(tail, " \r\n"))
	at := strings.LastIndexByte(tail, '\n') + 1
	return tail[:at], tail[at:]
}

// readShell reads what Copilot CLI says of a command: the output, and the line after it.
func readShell(_, tail string) (r taskReport, ok bool) {
	output, last := lastLineOf(tail)
	if found := shellEnded.FindStringSubmatch(last); found != nil {
		return taskReport{found[1], "completed", found[2], output}, true
	}
	if found := shellRuns.FindStringSubmatch(last); found != nil {
		return taskReport{found[1] + found[2], "running", "", output}, true
	}
	return taskReport{}, false
}

// readShellStop reads what it answers if it stopped a command, or if that had ended.
func readShellStop(_, tail string) (r taskReport, ok bool) {
	_, last := lastLineOf(tail)
	found := shellStopped.FindStringSubmatch(last)
	if found == nil {
		return taskReport{}, false
	}
	if found[2] != "" { // it may have ended by itself
		return taskReport{id: found[1]}, true
	}
	return taskReport{id: found[1], status: "killed"}, true
}

// taskBegun is the line by which Claude Code (2.1.332 and 1.0.128) says that a command goes on in
// the background: from its start on, or because a person, a message or its time limit moved it
// there.
var taskBegun = regexp.MustCompile(`^Command (?:running in background with ID: |` +
	`was manually backgrounded by user with ID: |(?:was|did not complete within its \d+s timeout ` +
	`and was) moved to the background \(ID: )([0-9A-Za-z_]{1,20})(?:\.|\)\.? |$)`)

// ohMyBegun is the last line by which oh-my-pi (18.2.3) says that a command goes on.
var ohMyBegun = regexp.MustCompile(
	`^Backgrounded as job ([\w-]{1,40}); result will be delivered automatically\.$`)

// qwenBegun begins what qwen-code (0.24.4) returns of a command that goes on in the background.
var qwenBegun = regexp.MustCompile(`^Background shell started\.\nid: (bg_[0-9a-f]{1,16})\n`)

// begunTask returns the task in which a command goes on, "" if its result states none. The line is
// the first one, or the last one after what the command printed until then.
func (c *Call) begunTask(head, tail string) string {
	if kimiFrame.tools[c.Tool] && kimiRuns(head) { // Kimi Code 2.1.0
		_, id, _ := strings.Cut(head, "\ntask_id: ")
		if id, _, _ = strings.Cut(id, "\n"); IsSession(id) {
			return id
		}
	}
	if found := qwenBegun.FindStringSubmatch(head); found != nil && qwenFrame.tools[c.Tool] &&
		c.Beside {
		return found[1]
	}
	if !claudeFrame.tools[c.Tool] || c.OnlyReads() && !c.Beside {
		return ""
	}
	if r, ok := readShell(head, tail); ok && copilotFrame.tools[c.Tool] && r.status == "running" {
		return r.id // Copilot CLI 1.0.102
	}
	first, _, _ := strings.Cut(head, "\n")
	last := tail[strings.LastIndexByte(tail, '\n')+1:]
	if found := ohMyBegun.FindStringSubmatch(last); found != nil && c.Has("i") {
		return found[1]
	}
	if strings.HasPrefix(last, resetNotice) {
		tail = strings.TrimRight(tail[:len(tail)-len(last)], "\n")
		last = tail[strings.LastIndexByte(tail, '\n')+1:]
	}
	for _, line := range []string{first, last} {
		if found := taskBegun.FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return ""
}
