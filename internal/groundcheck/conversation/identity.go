package conversation

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
	`safe_?to_?auto_?run|prefix_?rule|dangerously.*|riskLevel(?:Reason)?|fireAndForget|i)$`)

// whole identifies a call: its tool and arguments; of a command without those that are incidental.
func (c *Call) whole() string {
	command := c.Command()
	if command == "" {
		return c.Tool + "\x00" + c.raw
	}
	id := c.Tool + "\x00" + c.folder() + "\x00" + command + "\x00"
	for _, a := range c.Beside() {
		id += a.Path + "\x00" + a.Text + "\x00"
	}
	return id
}

// isFolder reports whether an argument is the folder that a command runs in.
func (a *Argument) isFolder() bool {
	switch a.Path {
	case "workdir", "cwd", "dir", "directory", "working_directory", "dir_path":
		return true
	}
	return false
}

// folder returns the folder that a command runs in, "" if the call names none.
func (c *Call) folder() string {
	for i := range c.Args {
		if a := &c.Args[i]; a.isFolder() && a.Word {
			return a.Text
		}
	}
	return ""
}

// Beside returns the arguments beside a command that tell what it runs and where.
func (c *Call) Beside() (beside []Argument) {
	for _, a := range c.Args {
		if a.Name != "" && len(c.Args) > 1 && !a.isFolder() &&
			!slices.Contains(commandNames, a.Name) && !incidental.MatchString(a.Name) &&
			a.Text != "" && (a.Word || a.Text != "null") {
			beside = append(beside, a)
		}
	}
	return beside
}

// CommandShown returns the forms in which a record shows what the call runs, without and with its
// folder.
func (c *Call) CommandShown() []string {
	shown := c.Command()
	for _, a := range c.Beside() {
		shown += ", " + a.Path + "=" + a.Text
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

// Tells reports whether an argument of a call that runs no command says something.
func (a *Argument) Tells() bool {
	return a.Text != "" && (a.Word || a.Text != "null") && !waits.MatchString(a.Name)
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

// stops returns the task that a call ended, "" if there is none.
func (c *Call) stops() string {
	if c.Tool == "stop_bash" || c.Tool == "stop_powershell" {
		if found := shellStop.FindStringSubmatch(strings.TrimSpace(c.Result.Text())); found != nil {
			return found[1]
		}
		return ""
	}
	found := stopForm.FindStringSubmatch(c.Result.Text())
	if c.Hosted || found == nil || c.Tool != "TaskStop" && c.Tool != "KillShell" {
		return ""
	}
	return found[1] + found[2]
}

// IsShell reports whether the tool is one whose commands go on in the background.
func (c *Call) IsShell() bool {
	return strings.EqualFold(c.Tool, "bash") || strings.EqualFold(c.Tool, "powershell")
}

// begunTask returns the task in which the command of such a call goes on.
func (c *Call) begunTask() string {
	text := strings.TrimSpace(c.Result.Text())
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

// Session returns the session in which the command of a call went on, "" if its result states none.
func (c *Call) Session() string {
	if c.Hosted {
		return ""
	}
	if found := cellForm.FindStringSubmatch(c.Result.Text()); found != nil &&
		(c.Script || c.Tool == "exec") {
		return "cell " + found[1]
	}
	if c.Script && !c.Shared {
		return c.valueSession()
	}
	if id, status, _, _, ok := c.task(); ok && status == "running" {
		return id
	}
	if c.IsShell() {
		return c.begunTask()
	}
	if c.Tool != "exec_command" && c.Tool != "write_stdin" {
		return ""
	}
	if found := runningForm.FindStringSubmatch(c.Result.Text()); found != nil {
		return found[1]
	}
	return ""
}

// valueSession returns the session in the value of a command that a script prints, "" if the
// command has ended.
func (c *Call) valueSession() string {
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
func (c *Call) polled() (session string) {
	if id, _, _, _, ok := c.task(); ok {
		return id
	}
	if c.Cell != "" && !c.Shared {
		return "cell " + c.Cell
	}
	if c.Tool != "write_stdin" {
		return ""
	}
	for _, a := range c.Args {
		switch {
		case a.Path == "chars" && a.Word && a.Text != "":
			return ""
		case a.Path == "session_id" && sessionForm.MatchString(a.Text):
			session = a.Text
		}
	}
	return session
}

// joinSessions gives the calls that read on the calls that began, unless the same command was run
// again between them.
func (conv *Conversation) joinSessions() {
	running, latest := map[string]*Call{}, map[string]*Call{}
	last := map[string]*Call{} // by session: the last that says that it goes on
	for _, c := range conv.Calls {
		began, polled := running[c.polled()], c.polled()
		if began != nil && latest[began.whole()] == began {
			c.Began = began
		} else {
			latest[c.whole()] = c
		}
		delete(running, polled)
		if id := c.Session(); id != "" {
			running[id], last[id] = cmp.Or(c.Began, c), c
		}
		if id := c.stops(); running[id] != nil {
			last[id].Stopped = c
			delete(running, id)
		}
	}
}

// Identity is that of the call, or of the one that it reads on.
func (c *Call) Identity() string {
	if c.Began != nil {
		return c.Began.whole()
	}
	return c.whole()
}
