package conversation

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// Outcome is how a call ended, by explicit signs in its result.
type Outcome struct {
	Exit    int // valid if stated
	Stated  bool
	Failed  bool
	Refused bool
	// doubtful is set if the result may be the report of a failure or refusal.
	doubtful bool
}

// The frames in which clients report the exit code: before the output, or after it.
var (
	exitBefore = regexp.MustCompile(`^(?:Exit code|Exit code:|Process exited with code|exit:|` +
		`\[Command exited with code) (-?\d+)(?:\]|` +
		` \[truncated: showing first/last .* full output at: .*\])?$`)
	exitOf = regexp.MustCompile(
		`^(?:Error executing tool Bash: )?Error \(exit code (-?\d+)\): `,
	)
	exitBehind = regexp.MustCompile(`^(?:\(?Command exited with code |\(exit code |<exited with ` +
		`exit code |<(?:detached command with )?shellId: [^ ]+ completed with exit code |` +
		`<exit_code>|\[Command finished with exit code |\[exit code: |` +
		`\[Command exited with code |Exit Code: )(-?\d+)(?:\)|>|\]|</exit_code>)?$`)
	frameLine = regexp.MustCompile(`^(?:Wall time:? |Chunk ID: |Original token count: |Process ` +
		`exited with code |Process running with session ID |Exit code: |Script ` +
		`(?:completed|failed|running))`)
	editorLine = regexp.MustCompile(`^\((?:Open file|Current directory|Interactive session): `)
	// What clients append behind the frame.
	added = regexp.MustCompile(`(?s)\n(?:\n(?:Note: this foreground command ran for |AI ` +
		`attribution note skipped: )|<(?:sandbox is active |this failure may be caused by the ` +
		`active sandbox policy\.|This command was retried outside the Copilot sandbox )).*$`)
	// The client ended the command: at the beginning, or behind an empty line at the end.
	endedFirst = regexp.MustCompile(`^(?:exit: killed \([^\n]*(?:\n|$)|Command timed out$|` +
		`Command (?:timed out after |was cancelled by user ` +
		`before it could complete\.|was automatically cancelled because )[^\n]*(?:\n|$)|` +
		`Wall time: [\d.]+ seconds\naborted by user$|aborted by user after [\d.]+s$)`)
	endedLast = regexp.MustCompile(`(?:^|\n\n)(?:Command aborted|Command timed out after ` +
		`[\d.]+ seconds|Command terminated without an exit code|\[Command timed out after ` +
		`[\d.]+ seconds of no output\])$|<shell_metadata>\n[^<]*</shell_metadata>$|` +
		// OpenClaw's, with advice behind it
		`(?s:(?:^|\n\n)(?:Command timed out[^\n]*\n\nThe command was terminated, .*|` +
		`Command aborted (?:by signal [^\n]*(?:\n\nOpenClaw selected .*)?|` +
		`before exit code was captured))$)`)
	// OpenClaw's words for the exit codes 127 and 126.
	notRun = regexp.MustCompile(
		`(?:^|\n\n)Command not (found|executable \(permission denied\))$`,
	)

	toolFailed = regexp.MustCompile(`^[a-z_]+ (?:verification )?failed: `)
)

// refusals begin results of calls that were not allowed to run.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"[Request interrupted by user for tool use]", "The user denied this operation.",
	"[Operation Cancelled]", "Permission to use Bash with command ",
	"exec command rejected by user", "patch rejected by user",
	"Tool execution was not approved.", "User rejected the tool call for `",
}

// The tools that write files: what they answer is their report. Those of Claude Code put numbers
// or names before the lines that they show.
var (
	writers = regexp.MustCompile(`(?i)edit|write|patch|replace|^create$|create_?file|insert|delete`)
	claude  = regexp.MustCompile(`^(?:Read|Grep|Glob|LS|NotebookRead)$`)
	readers = regexp.MustCompile(`(?i)^(?:read|view|open|cat|get_?file|grep|search|list|find|glob)`)
)

// Ended returns how a call ended. It is read once, since many lines are compared with it.
func (c *Call) Ended() Outcome {
	if c.end == nil {
		end := c.readEnd()
		c.end = &end
	}
	return *c.end
}

// readEnd reads how a call ended. What may be data, as the log that a command shows, states
// nothing, but leaves in doubt what the call did.
func (c *Call) readEnd() Outcome {
	if c.Hosted {
		return c.Ran.end
	}
	text := trusted(strings.TrimSpace(c.Result.Text()))
	if c.Item != nil {
		return c.endedItems([]resultItem{*c.Item})
	}
	if _, status, code, _, ok := c.task(); ok {
		exit, err := strconv.Atoi(code)
		return Outcome{Exit: exit, Stated: err == nil, Failed: exit != 0 ||
			err != nil && (status == "failed" || status == "timed_out")}
	}
	if items := itemsIn(text); items != nil && c.ofCline() {
		return c.endedItems(items)
	}
	for _, read := range []func(string) (Outcome, bool){
		c.refusedAs, c.exitAs, c.reportedAs,
	} {
		if o, ok := read(text); ok {
			return o
		}
	}
	if c.Command() != "" {
		return Outcome{} // the output of a program is not a sign
	}
	var thrown map[string]string
	if writerErrors.MatchString(text) || json.Unmarshal([]byte(text), &thrown) == nil &&
		len(thrown) == 1 && thrown["error"] != "" || toolFailed.MatchString(text) {
		return Outcome{Failed: writers.MatchString(c.Tool), doubtful: true}
	}
	return Outcome{doubtful: reportsFailure(text)}
}

// refusedAs reads that a call was not allowed to run.
func (c *Call) refusedAs(text string) (Outcome, bool) {
	for _, r := range refusals {
		if strings.HasPrefix(text, r) {
			first, after, _ := strings.Cut(text, "\n")
			return Outcome{Refused: after == "" || strings.HasSuffix(first, "the user said:") ||
				c.Result.failed, doubtful: true}, true
		}
	}
	return Outcome{}, false
}

// exitAs reads the exit code, or that the client marked the result as failed.
func (c *Call) exitAs(text string) (Outcome, bool) {
	if _, coded := droidCode(text); c.ofDroid() && !coded && strings.HasPrefix(text, "Error: ") {
		return Outcome{Failed: true}, true
	}
	code, framed, ok := c.statedExit(text)
	switch {
	case ok && code == -1:
		return Outcome{Failed: true}, true // OpenHands' code of a command that goes on
	case ok && c.Command() != "" && !framed && c.onlyShows() && !c.Result.failed:
		return Outcome{doubtful: code != 0}, true
	case ok:
		return Outcome{Exit: code, Stated: true, Failed: code != 0 || c.Result.failed}, true
	}
	if c.Script && !c.Shared {
		if code, ok := exitMember(strings.TrimSpace(c.framed())); ok {
			return Outcome{Exit: code, Stated: true, Failed: code != 0}, true
		}
	}
	failed := c.Result.failed || strings.HasPrefix(text, "Script failed\n") && c.Runs()
	return Outcome{Failed: failed}, failed
}

// reportedAs reads what clients write in place of an output if a call failed or was ended. A
// command that shows a log may print the same.
func (c *Call) reportedAs(text string) (Outcome, bool) {
	shows := c.onlyShows()
	if _, found := reported(text); found {
		return Outcome{Failed: !shows && (claude.MatchString(c.Tool) ||
			!readers.MatchString(c.Tool)), doubtful: true}, true
	}
	if o, ok := heldUpByHands(text); ok {
		return o, true
	}
	if endedFirst.MatchString(text) || endedLast.MatchString(text) || c.thrownByNode(text) {
		return Outcome{Failed: !shows, doubtful: true}, true
	}
	if c.reportedByClaw(text) || c.reportedByVolt(text) || serialized.MatchString(text) {
		return Outcome{Failed: !shows && !readers.MatchString(c.Tool), doubtful: true}, true
	}
	return Outcome{}, false
}

// statedExit returns the exit code that a result states. framed reports whether it stands in a
// frame that a program would not print.
func (c *Call) statedExit(text string) (code int, framed, ok bool) {
	code, before, ok := exitCode(text)
	if found := notRun.FindStringSubmatch(text); found != nil && c.Tool == "exec" {
		code, ok = map[bool]int{true: 127, false: 126}[found[1] == "found"], true
	}
	if c.Tool == "execute" {
		if deep, _, found := deepEnd(text); found {
			code, ok = deep, true
		}
	}
	droid := false
	if c.ofDroid() {
		if code, droid = droidCode(text); droid {
			ok = true
		}
	}
	if found := mastraExit.FindStringSubmatch(text); found != nil && c.Tool == mastraShell {
		of, err := strconv.Atoi(found[1])
		code, ok = of, err == nil
	}
	found := kimiExit.FindStringSubmatch(kimiTask.ReplaceAllString(text, ""))
	if found != nil && kimiFailed.MatchString(text) && strings.EqualFold(c.Tool, "bash") {
		of, err := strconv.Atoi(found[1])
		code, ok = of, err == nil
	}
	if _, of, found := printed(text); found && c.Tool == "bash" {
		code, ok = of, true
	}
	framed = droid || before && frameLine.MatchString(text) || c.ofCline() ||
		strings.HasPrefix(text, "exit: ") && c.Tool == "run_terminal_command" ||
		c.Tool == "run_shell_command" && memberList.MatchString(text) || c.Tool == "execute_bash"
	return code, framed, ok
}

// ofCline reports whether the tool is one of those of Cline that answer with a list.
func (c *Call) ofCline() bool {
	switch c.Tool {
	case "run_commands", "read_files", "search_codebase", "fetch_web_content", "editor",
		"apply_patch":
		return true
	}
	return false
}

// Bad reports whether the call failed or was not allowed to run.
func (o Outcome) Bad() bool { return o.Failed || o.Refused }

// Unsure reports whether the call may have failed.
func (o Outcome) Unsure() bool { return o.Bad() || o.doubtful }

// exitCode reads the exit code from the frame around an output. before is set if it is the first
// line or those before the output.
func exitCode(text string) (code int, before, ok bool) {
	lines := strings.Split(added.ReplaceAllString(text, ""), "\n")
	if code, ok := stated(exitBefore, lines[0]); ok {
		return code, true, true
	}
	if found := exitOf.FindStringSubmatch(lines[0]); found != nil {
		code, err := strconv.Atoi(found[1])
		return code, true, err == nil
	}
	if frameLine.MatchString(lines[0]) {
		for _, l := range lines[:min(len(lines), 8)] {
			if strings.TrimSpace(l) == "Output:" {
				break
			}
			if code, ok := stated(exitBefore, l); ok {
				return code, true, true
			}
		}
	}
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-3; i-- {
		l := strings.TrimSpace(lines[i])
		if strings.HasPrefix(l, "Exit Code: ") || i == len(lines)-1 {
			if code, ok := stated(exitBehind, l); ok {
				return code, false, true
			}
		}
	}
	if strings.HasPrefix(text, `{"output":`) { // earlier versions of Codex
		code, ok = exitMember(text)
	}
	return code, false, ok
}

func stated(form *regexp.Regexp, line string) (int, bool) {
	found := form.FindStringSubmatch(strings.TrimSpace(line))
	if found == nil {
		return 0, false
	}
	code, err := strconv.Atoi(found[1])
	return code, err == nil
}

// exitMember reads the exit code from a JSON result.
func exitMember(text string) (int, bool) {
	if !strings.HasPrefix(text, "{") {
		return 0, false
	}
	type codes struct {
		A *json.Number `json:"exit_code"`
		B *json.Number `json:"exitCode"`
		C *json.Number `json:"returncode"`
	}
	var top codes
	var below struct{ Metadata codes }
	_, _ = json.Unmarshal([]byte(text), &top), json.Unmarshal([]byte(text), &below)
	for _, n := range []*json.Number{top.A, top.B, top.C, below.Metadata.A, below.Metadata.B,
		below.Metadata.C} {
		if n != nil {
			if code, err := strconv.Atoi(n.String()); err == nil {
				return code, true
			}
		}
	}
	return 0, false
}
