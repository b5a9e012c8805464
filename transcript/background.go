package transcript

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// backgroundTools are the tools by which agents return how a command in the background stands, each
// with the forms in which they do. A result in another form is about something else, such as a
// sub-agent.
var backgroundTools = map[string]struct {
	read  []readTask
	stops bool // the tool ends the command
}{
	"taskoutput": {[]readTask{readTaskTags, readKimiTask}, false},
	"taskstop":   {[]readTask{readTaskStop, readKimiStop}, true},
	"killshell":  {[]readTask{readTaskStop}, true},

	"readbash": {[]readTask{readShell}, false}, "readpowershell": {[]readTask{readShell}, false},
	"stopbash": {[]readTask{readShellStop}, true}, "stoppowershell": {[]readTask{readShellStop},
		true},
}

// taskReport is what such a tool says of a command.
type taskReport struct{ id, status, code, output string }

// readTask reads both ends of such a result. ok is false if it has another form.
type readTask func(head, tail string) (r taskReport, ok bool)

// readTask reads what the result of a tool says of a command in the background.
func (c *Call) readTask(head, tail string) (r taskReport, ok bool) {
	for _, read := range backgroundTools[c.tool].read {
		if r, ok = read(head, tail); ok && isSession(r.id) {
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

// readTaskStop reads what Claude Code (2.1.332) answers if it ended a command.
func readTaskStop(result, _ string) (r taskReport, ok bool) {
	object := rawjson.Only(result)
	if object == nil || !object.Get("task_type").Is("local_bash") {
		return taskReport{}, false
	}
	id := object.Get("task_id").Text()
	return taskReport{id: id, status: "killed"}, strings.HasPrefix(object.Get("message").Text(),
		"Successfully stopped task: "+id+" (")
}

// The members of Kimi Code's (2.1.0) report on a task: those that are read, and those that a report
// on a command has.
var (
	kimiMembers = []string{"task_id", "status", "kind", "exit_code"}
	kimiShown   = "\n[output]\n"
)

// readKimiTask reads what Kimi Code (2.1.0) says: members on lines, and the output behind them. The
// command is among them as it is. If one of its lines looks like a member, nothing is read.
func readKimiTask(result, _ string) (r taskReport, ok bool) {
	head, output, found := strings.Cut(result, kimiShown)
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
	shellStopped = regexp.MustCompile(`^<command with id: ([\w-]{1,20}) (?:had already )?stopped>$`)
)

// lastLineOf returns the end of a result in two: the lines before the last one, and that.
func lastLineOf(tail string) (before, last string) {
	tail = withoutSandbox(strings.TrimRight(tail, " \r\n"))
	at := strings.LastIndexByte(tail, '\n') + 1
	return tail[:at], tail[at:]
}

// readShell reads what Copilot CLI says of a command: the output, and the line behind it.
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
	return taskReport{id: found[1], status: "killed"}, true
}

// taskBegun is the line by which Claude Code (2.1.332) says that a command goes on in the
// background: from its start on, or because a person, a message or its time limit moved it there.
var taskBegun = regexp.MustCompile(`^Command (?:running in background with ID: |` +
	`was manually backgrounded by user with ID: |(?:was|did not complete within its \d+s timeout ` +
	`and was) moved to the background \(ID: )([0-9A-Za-z]{1,20})(?:\.|\)\.? )`)

// begunTask returns the task in which a command goes on, "" if its result states none. The line is
// the first one, or the last one behind what the command printed until then.
func (c *Call) begunTask(head, tail string) string {
	if kimiFrame.tools[c.tool] && kimiRuns(head) { // Kimi Code 2.1.0
		_, id, _ := strings.Cut(head, "\ntask_id: ")
		if id, _, _ = strings.Cut(id, "\n"); isSession(id) {
			return id
		}
	}
	if !claudeFrame.tools[c.tool] || c.OnlyReads() && !c.InBackground() {
		return ""
	}
	if r, ok := readShell(head, tail); ok && copilotFrame.tools[c.tool] && r.status == "running" {
		return r.id // Copilot CLI 1.0.102
	}
	first, _, _ := strings.Cut(head, "\n")
	last := tail[strings.LastIndexByte(tail, '\n')+1:]
	if strings.HasPrefix(last, "Shell cwd was reset to ") {
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

// task is for reports on commands in the background.
func (r *reported) task() (Status, int, bool) {
	report, ok := r.readTask(r.head, r.tail)
	if !ok {
		return Unknown, -1, false
	}
	code, err := strconv.Atoi(report.code)
	switch {
	case report.status == "killed": // whatever its code, it did not end by itself
		return Unknown, -1, true
	case err != nil && (report.status == "failed" || report.status == "timed_out"):
		return Failed, -1, true
	case err != nil:
		return Unknown, -1, true
	case code == 0:
		return OK, code, true
	default:
		return Failed, code, true
	}
}

// waitTool is the tool of Codex (0.169), wait, that returns what a script printed since the last
// call, and whether it has ended. A script that goes on has a cell, whose id is the session of the
// call after cell.
const (
	waitTool = "wait"
	cell     = "cell "
)

// awaits returns the session of the script that a call waits for, "" if there is none.
func (c *Call) awaits() string {
	if id := c.argument("cell_id"); c.tool == waitTool && id != nil && isSession(id.Text) {
		return cell + id.Text
	}
	return ""
}

// endsScript reports whether a result says that a script has ended, and goesOn that one goes on.
// A script that failed is not meant: the call that waited for it may have failed itself.
func endsScript(head string) bool {
	return strings.HasPrefix(head, scriptCompleted) || strings.HasPrefix(head, scriptStopped)
}

func goesOn(head string) bool { return strings.HasPrefix(head, scriptRunning) }

// cells are the scripts that go on in a conversation.
type cells struct {
	upTo int               // of the messages before it
	last map[string][]int  // by session: the results that say that it goes on, or has ended
	ends map[int]bool      // those that say that it has ended
	made map[string]string // by the id of a call of wait: the session
}

// before returns the last message before message i that says that a script goes on, -1 if there is
// none or the script has ended since.
func (in *cells) before(session string, msgs []view.Message, i int) int {
	for ; in.upTo < i; in.upTo++ {
		in.note(&msgs[in.upTo])
	}
	at := in.last[session]
	n := sort.SearchInts(at, i)
	if n == 0 || in.ends[at[n-1]] {
		return -1
	}
	return at[n-1]
}

// note notes what message in.upTo says.
func (in *cells) note(m *view.Message) {
	if m.Role() == view.Assistant {
		for _, made := range m.ToolCalls() {
			if toolName(made.Name) == waitTool {
				c := readCall(made.Name, made.Text(), in.upTo)
				in.made[made.ID] = c.awaits()
			}
		}
		return
	}
	if !m.Role().Result() {
		return
	}
	head := headOf(m)
	id, awaited := codexSession(head), in.made[m.ToolCallID()]
	switch {
	case goesOn(head):
		in.last[id] = append(in.last[id], in.upTo)
	case awaited != "" && endsScript(head):
		in.last[awaited] = append(in.last[awaited], in.upTo)
		in.ends[in.upTo] = true
	}
}

// groupOf returns the group of message i.
func groupOf(i int, groups []view.Group) view.Group {
	return groups[sort.Search(len(groups), func(k int) bool { return groups[k].End > i })]
}

// answered returns the call that a message answers, nil if there is none.
func (read *groupRead) answered(message int) *Call {
	for _, a := range read.answers {
		if a.message == message {
			return &read.calls[a.call]
		}
	}
	return nil
}

// resume makes call n of a group that is read one that goes on with a script, if message i, its
// result, says more of the script.
func (memo *Memo) resume(
	read *groupRead, n int, msgs []view.Message, groups []view.Group, i int,
) {
	c := &read.calls[n]
	session := c.awaits()
	if session == "" {
		return
	}
	head := headOf(&msgs[i])
	k := memo.cells.before(session, msgs, i)
	if k < 0 || !goesOn(head) && !endsScript(head) {
		return
	}
	in := read
	if g := groupOf(k, groups); g.End <= i {
		in = memo.group(msgs, groups, g)
	}
	by := in.answered(k)
	c.resume(by, &msgs[k], session, endsScript(head))
}

// resume makes a call that waits for a script one that goes on with it. by is the call whose result
// m says that it goes on. If something was printed before, what the script prints from here on
// cannot be assigned to its calls.
func (c *Call) resume(by *Call, m *view.Message, session string, ended bool) {
	if by == nil || by.Session != session {
		return
	}
	c.polls, c.Effect, c.commanded = session, Runs, new(commanded)
	from := by.Made()
	if from.script == nil {
		return
	}
	s := &scripted{program: from.script.program, resumed: true, began: from.Caller}
	if from.script.resumed {
		s.began = from.script.began
	}
	if texts, ok := printed(m); !ok || len(texts) > 1 ||
		len(texts) == 1 && strings.TrimSpace(texts[0].Text()) != "" {
		s.program.Prints, s.program.Printed = nil, false
	}
	c.runs(s, ended)
}

// Began returns the message that made the call that began the script with which this call goes on,
// -1 if there is none.
func (c *Call) Began() int {
	if s := c.Made().script; s != nil && s.resumed {
		return s.began
	}
	return -1
}
