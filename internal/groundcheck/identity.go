package groundcheck

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// commandNames are the names of arguments that hold a command.
var commandNames = []string{"command", "cmd", "script", "code", "commandLine", "commands"}

// programs are the tools whose "code" or "script" is a program that they run.
var programs = regexp.MustCompile(`(?i)(?:^|__|\.)(?:bash|shell|run|terminal|python|ipython|` +
	`(?:run|execute)_?python|code_?interpreter|exec(?:ute)?(?:_?command)?)$`)

// incidental are the names of a command's arguments that say how it is waited for, shown, allowed
// or explained: agents choose others each time.
var incidental = regexp.MustCompile(`(?i)^(?:.*(?:timeout|wait|output|background|permission|` +
	`approval|session_?id|shell_?id|yield|security|blocking).*|description|explanation|` +
	`justification|reason(?:ing)?|rationale|purpose|goal|summary|title|comment|thought|thinking|` +
	`async|detach|mode|interactive|is_?input|[pt]ty|login|limit|delay|max_.*|ask|elevated|` +
	`safe_?to_?auto_?run|prefix_?rule|dangerously.*|riskLevel(?:Reason)?|fireAndForget)$`)

// whole identifies a call: its tool and arguments; of a command without those that are incidental.
func (c *call) whole() string {
	command := c.command()
	if command == "" {
		return c.tool + "\x00" + c.raw
	}
	id := c.tool + "\x00" + c.folder() + "\x00" + command + "\x00"
	for _, a := range c.beside() {
		id += a.path + "\x00" + a.text + "\x00"
	}
	return id
}

// isFolder reports whether an argument is the folder that a command runs in.
func (a *argument) isFolder() bool {
	switch a.path {
	case "workdir", "cwd", "dir", "directory", "working_directory", "dir_path":
		return true
	}
	return false
}

// folder returns the folder that a command runs in, "" if the call names none.
func (c *call) folder() string {
	for i := range c.args {
		if a := &c.args[i]; a.isFolder() && a.word {
			return a.text
		}
	}
	return ""
}

// beside returns the arguments beside a command that tell what it runs and where.
func (c *call) beside() (beside []argument) {
	for _, a := range c.args {
		if a.name != "" && len(c.args) > 1 && !a.isFolder() &&
			!slices.Contains(commandNames, a.name) && !incidental.MatchString(a.name) &&
			a.text != "" && (a.word || a.text != "null") {
			beside = append(beside, a)
		}
	}
	return beside
}

// commandShown returns the forms in which a record shows what the call runs, without and with its
// folder.
func (c *call) commandShown() []string {
	shown := c.command()
	for _, a := range c.beside() {
		shown += ", " + a.path + "=" + a.text
	}
	if where := c.folder(); where != "" {
		return []string{shown, shown + ", in " + where}
	}
	return []string{shown}
}

// Codex lets a command go on in a session, and its write_stdin returns what that printed since.
// Where it writes nothing, a record states its result as that of the command.

var (
	runningForm = regexp.MustCompile(
		`(?s)^(?:[A-Z][A-Za-z ]+: [^\n]*\n)*Process running with session ID (\d{1,20})\n`,
	)
	sessionForm = regexp.MustCompile(`^\d{1,20}$`)

	// The arguments that only say how long to wait, how much to show, and why.
	waits = regexp.MustCompile(`(?i)^(?:timeout.*|yield_?(?:time_?)?ms|wait.*|initial_?wait|` +
		`max_?(?:output.*|lines|chars)|output_?limit|description|explanation|justification|` +
		`reason(?:ing)?|rationale|thought|thinking)$`)
)

// tells reports whether an argument of a call that runs no command says something.
func (a *argument) tells() bool {
	return a.text != "" && (a.word || a.text != "null") && !waits.MatchString(a.name)
}

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
	shellStop = regexp.MustCompile(`^<command with id: ([\w-]+) (?:had already )?stopped>$`)

	stopForm = regexp.MustCompile(`^(?:\{"message":"Successfully stopped task: ([0-9A-Za-z]+) \(|` +
		`Wall time: [\d.]+ seconds\ntask_id: ([\w-]+)\nstatus: \w+\nreason: )`)
)

// task returns what the result of TaskOutput says: the id, the status, the exit code, the output.
// The code of a command that was ended says nothing of it.
func (c *call) task() (id, status, code, output string, ok bool) {
	if c.tool == "read_bash" || c.tool == "read_powershell" {
		text := strings.TrimSpace(c.result.text())
		output, last := text[:strings.LastIndexByte(text, '\n')+1], text[strings.LastIndexByte(text,
			'\n')+1:]
		if found := shellEnd.FindStringSubmatch(last); found != nil {
			return found[1], "completed", found[2], output, true
		}
		if found := shellOn.FindStringSubmatch(last); found != nil {
			return found[1], "running", "", output, true
		}
	}
	if c.tool != "TaskOutput" {
		return "", "", "", "", false
	}
	for _, form := range []*regexp.Regexp{taskForm, kimiForm} {
		if found := form.FindStringSubmatch(c.result.text()); found != nil {
			if found[2] == "killed" {
				found[3] = ""
			}
			return found[1], found[2], found[3], found[4], true
		}
	}
	return "", "", "", "", false
}

// stops returns the task that a call ended, "" if there is none.
func (c *call) stops() string {
	if c.tool == "stop_bash" || c.tool == "stop_powershell" {
		if found := shellStop.FindStringSubmatch(strings.TrimSpace(c.result.text())); found != nil {
			return found[1]
		}
		return ""
	}
	found := stopForm.FindStringSubmatch(c.result.text())
	if c.hosted || found == nil || c.tool != "TaskStop" && c.tool != "KillShell" {
		return ""
	}
	return found[1] + found[2]
}

// isShell reports whether the tool is one whose commands go on in the background.
func (c *call) isShell() bool {
	return strings.EqualFold(c.tool, "bash") || strings.EqualFold(c.tool, "powershell")
}

// begunTask returns the task in which the command of such a call goes on.
func (c *call) begunTask() string {
	text := strings.TrimSpace(c.result.text())
	if kimiRuns.MatchString(text) {
		_, id, _ := strings.Cut(text, "\ntask_id: ")
		id, _, _ = strings.Cut(id, "\n")
		return id
	}
	if c.argument("run_in_background") != "true" && c.onlyShows() {
		return ""
	}
	lines := strings.Split(text, "\n")
	if n := len(lines) - 1; strings.HasPrefix(lines[n], "Shell cwd was reset to ") && n > 0 {
		lines = lines[:n]
	}
	if found := shellOn.FindStringSubmatch(lines[len(lines)-1]); found != nil {
		return found[1]
	}
	for _, l := range []string{lines[0], lines[len(lines)-1]} {
		if found := taskBegun.FindStringSubmatch(l); found != nil {
			return found[1]
		}
	}
	return ""
}

// session returns the session in which the command of a call went on, "" if its result states none.
func (c *call) session() string {
	if c.hosted {
		return ""
	}
	if found := cellForm.FindStringSubmatch(c.result.text()); found != nil &&
		(c.script || c.tool == "exec") {
		return "cell " + found[1]
	}
	if c.script && !c.shared {
		return c.valueSession()
	}
	if id, status, _, _, ok := c.task(); ok && status == "running" {
		return id
	}
	if found := agentForm.FindStringSubmatch(c.result.text()); found != nil &&
		(c.tool == "Task" || c.tool == "Agent") {
		return found[1]
	}
	if c.isShell() {
		return c.begunTask()
	}
	if c.tool != "exec_command" && c.tool != "write_stdin" {
		return ""
	}
	if found := runningForm.FindStringSubmatch(c.result.text()); found != nil {
		return found[1]
	}
	return ""
}

// valueSession returns the session in the value of a command that a script prints, "" if the
// command has ended.
func (c *call) valueSession() string {
	var value struct {
		Session *json.Number `json:"session_id"`
		Code    *json.Number `json:"exit_code"`
		Output  *string
	}
	if json.Unmarshal([]byte(strings.TrimSpace(c.framed())), &value) != nil ||
		value.Session == nil || value.Code != nil || value.Output == nil {
		return ""
	}
	return value.Session.String()
}

// polled returns the session that a call reads on and writes nothing to, "" if there is none.
func (c *call) polled() (session string) {
	if id, _, _, _, ok := c.task(); ok {
		return id
	}
	if c.cell != "" && !c.shared {
		return "cell " + c.cell
	}
	if c.tool != "write_stdin" {
		return ""
	}
	for _, a := range c.args {
		switch {
		case a.path == "chars" && a.word && a.text != "":
			return ""
		case a.path == "session_id" && sessionForm.MatchString(a.text):
			session = a.text
		}
	}
	return session
}

// joinSessions gives the calls that read on the calls that began, unless the same command was run
// again between them.
func (conv *conversation) joinSessions() {
	running, latest := map[string]*call{}, map[string]*call{}
	last := map[string]*call{} // by session: the last that says that it goes on
	conv.addNotices()
	defer func() {
		conv.calls = slices.DeleteFunc(conv.calls, func(c *call) bool {
			return c.notice != "" && c.began == nil
		})
	}()
	for _, c := range conv.calls {
		if c.notice != "" {
			if began := running[c.notice]; began != nil && latest[began.whole()] == began {
				c.began = began
			}
			delete(running, c.notice)
			continue
		}
		began, polled := running[c.polled()], c.polled()
		if began != nil && latest[began.whole()] == began {
			c.began = began
		} else {
			latest[c.whole()] = c
		}
		delete(running, polled)
		if id := c.session(); id != "" {
			running[id], last[id] = cmp.Or(c.began, c), c
		}
		if id := c.stops(); running[id] != nil {
			last[id].stopped = c
			delete(running, id)
		}
	}
}

// identity is that of the call, or of the one that it reads on.
func (c *call) identity() string {
	if c.began != nil {
		return c.began.whole()
	}
	return c.whole()
}
