package conversation

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

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

// Beside returns the arguments beside a command that tell what it runs and where.
func (c *Call) Beside() []Argument { return besides(c.Args) }

func besides(args []Argument) (beside []Argument) {
	for _, a := range args {
		if a.Name != "" && len(args) > 1 && !a.isFolder() &&
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
	for _, a := range besides(c.Spelled()) {
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

// IsShell reports whether the tool is one whose commands go on in the background.
func (c *Call) IsShell() bool {
	return strings.EqualFold(c.Tool, "bash") || strings.EqualFold(c.Tool, "powershell") ||
		c.Tool == "run_shell_command"
}

// begunTask returns the task in which the command of such a call goes on.
func (c *Call) begunTask() string {
	text := strings.TrimSpace(c.Result.Text())
	if kimiRuns.MatchString(text) {
		_, id, _ := strings.Cut(text, "\ntask_id: ")
		id, _, _ = strings.Cut(id, "\n")
		return id
	}
	if first, id, _ := strings.Cut(text, "\nid: "); c.Tool == "run_shell_command" &&
		first == "Background shell started." && c.Named("is_background") == "true" {
		id, _, _ = strings.Cut(id, "\n")
		return id
	}
	if c.Named("run_in_background") != "true" && c.OnlyShows() {
		return ""
	}
	lines := strings.Split(text, "\n")
	if n := len(lines) - 1; strings.HasPrefix(lines[n], "Shell cwd was reset to ") && n > 0 {
		lines = lines[:n]
	}
	found := ohMyOn.FindStringSubmatch(lines[len(lines)-1])
	if found != nil && c.Named("i") != "" {
		return found[1]
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
	if found := agentForm.FindStringSubmatch(c.Result.Text()); found != nil &&
		slices.Contains([]string{"Task", "Agent", "agent", "task"}, c.Tool) {
		return found[1]
	}
	if found := kimiAgent.FindStringSubmatch(c.Result.Text()); found != nil && c.Tool == "Agent" {
		return found[1]
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
	conv.addNotices()
	defer func() {
		conv.Calls = slices.DeleteFunc(conv.Calls, func(c *Call) bool {
			return c.Notice != "" && c.Began == nil
		})
	}()
	for _, c := range conv.Calls {
		if c.Notice != "" {
			if began := running[c.Notice]; began != nil && latest[began.whole()] == began {
				c.Began = began
			}
			delete(running, c.Notice)
			continue
		}
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
