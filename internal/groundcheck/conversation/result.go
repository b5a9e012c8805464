package conversation

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
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
	if c.interrupts() && c.stops() != "" {
		return Outcome{} // the exit code is that of the command
	}
	text := trusted(strings.TrimSpace(c.Result.Text()))
	if c.Item != nil {
		return c.endedItems([]resultItem{*c.Item})
	}
	if _, status, code, _, ok := c.task(); ok {
		exit, err := strconv.Atoi(code)
		return Outcome{Exit: exit, Stated: err == nil, Stopped: status == "killed", Failed: exit !=
			0 || err != nil && (status == "failed" || status == "timed_out")}
	}
	if c.hashPatch() {
		failed, doubtful := strings.HasPrefix(text, "Edit rejected for "), false
		for _, h := range c.Patched() {
			doubtful = doubtful || h.Put == "edit" && !strings.Contains(text, "["+h.Path+"#") ||
				h.Put == "delete" && !strings.Contains(text, "Deleted "+h.Path) ||
				strings.HasPrefix(h.Put, "move")
		}
		return Outcome{Failed: failed || c.Result.failed, doubtful: doubtful}
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
	text = mcpFrame.ReplaceAllString(text, "")
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
	case ok && c.Command() != "" && !framed && c.OnlyShows() && !c.Result.failed:
		return Outcome{doubtful: code != 0}, true
	case ok:
		return Outcome{Exit: code, Stated: true, Failed: code != 0 || c.Result.failed}, true
	}
	if c.Script && !c.Shared {
		if code, ok := exitMember(strings.TrimSpace(withoutFrameLines(c.received()))); ok {
			return Outcome{Exit: code, Stated: true, Failed: code != 0}, true
		}
	}
	failed := c.Result.failed || strings.HasPrefix(text, "Script failed\n") && c.Runs()
	return Outcome{Failed: failed}, failed
}

// reportedAs reads what clients write in place of an output if a call failed or was ended. A
// command that shows a log may print the same.
func (c *Call) reportedAs(text string) (Outcome, bool) {
	shows := c.OnlyShows()
	if strings.Contains(c.Tool, "browser") &&
		pageError.MatchString(mcpFrame.ReplaceAllString(text, "")) {
		return Outcome{Failed: true}, true
	}
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
