package conversation

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

var (
	// What Gemini CLI puts around what comes from outside.
	outside = regexp.MustCompile(`(?s)^<untrusted_context>\n(.*)\n</untrusted_context>$`)
	// How its results of commands begin, and those of qwen-code.
	memberList = regexp.MustCompile(`^(?:Command|Output|Stdout): `)
	// The end of an output of deepagents.
	deepLine = regexp.MustCompile(`(?:^|\n)\[Command (succeeded|failed) with exit code (-?\d+)\]` +
		`(?:\n\[Output was truncated due to size limits\])?$`)
	deepLocal = regexp.MustCompile(`\n\nExit code: (-?\d+)$`)
	// The end of an output of Mastra, of a command that failed.
	mastraExit = regexp.MustCompile(`(?:^|\n\n)Exit code: (-?\d+)$`)
	// The end of an output of Droid, what may stand before it, and how its results begin that have
	// more than what a command printed.
	droidEnd   = regexp.MustCompile(`\n\n\[Process exited with code (-?\d+)\]$`)
	droidAdded = regexp.MustCompile(`\n\n(?:Full command output saved to: |Sandbox: network ` +
		`access was denied to: )[^\n]*$`)
	droidBegin = regexp.MustCompile(`^Error: Command [^\n]*(?:\n|$)`)
	droidHint  = regexp.MustCompile(`\n\n(?:Git authentication failed\. The user may need |This ` +
		`command requires an interactive terminal )[^\n]*$`)

	droidStopped = regexp.MustCompile(`(?s)^Command timed out after \d+ seconds\. Consider ` +
		`increasing the timeout for long-running commands\.(?:\n\nPartial output before ` +
		`timeout:\n(.*))?$`)
	// How BeeAI, Kimi Code and LangChain report any call that failed.
	beeFailed  = regexp.MustCompile(`^ToolError: Tool "[^\n]*" has occurred an error!\n`)
	kimiFailed = regexp.MustCompile(`^(?:Wall time: [^\n]* seconds\n)?<system>ERROR: Tool ` +
		`execution failed\.(?: Tool output is empty\.)?</system>\n?`)
	// How Playwright's server of MCP reports one.
	pageError = regexp.MustCompile(`^### (?:Error\n|Result\nError: )`)
	// The line that precedes its other results, and the one after the lines of a file.
	kimiTime = regexp.MustCompile(`^Wall time: \d+\.\d{3} seconds(?:\n|$)`)
	// oh-my-pi's: after every output, before the exit code
	ohMyTime = regexp.MustCompile(`\n\nWall time: [\d.]+ seconds\n*(\n\nCommand exited with ` +
		`code \d+)?\s*$`)
	kimiRuns = regexp.MustCompile(`^Wall time: \S+ seconds\ntask_id: [^\n]*\npid: \d+\n(?s:.*)\n` +
		`status: running\n`)
	kimiTask = regexp.MustCompile(`\n\n?task_id: [^\n]*\n[^\n]*\nnext_step: Use TaskOutput\(` +
		`[^\n]* to query the task output\.$`)
	kimiStatus = regexp.MustCompile(`(?:^|\n)<system>(?:No|\d+) lines? read from file.*` +
		` Effective max_chars: .*</system>$`)
	kimiTimed = regexp.MustCompile(
		`^(?:Bash|Grep|Glob|WebSearch|FetchURL|Agent|AgentSwarm|mcp__.*)$`,
	)
	kimiExit  = regexp.MustCompile(`(?:^|\n)Command failed with exit code: (-?\d+)\.$`)
	wasThrown = regexp.MustCompile(`(?s)^([^ \t\n]*Error: .*)\n Please fix your mistakes\.$`)
	// What Claude Code puts after the report of a sub-agent.
	agentEnd = regexp.MustCompile(`\nagentId: [^\n]*\)(?:\n<usage>(?s:.*)</usage>)?\s*$`)
	// The header before the lines of a file that its tool reads.
	deepWindow = regexp.MustCompile(`^@@ lines (\d+)-\d+(?: of \d+)?(?: \| [^@]*)? @@$`)
)

// mastraShell is the tool of Mastra that runs commands.
const mastraShell = "mastra_workspace_execute_command"

// trusted returns a result without what Gemini CLI puts around it.
func trusted(text string) string {
	if found := outside.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return text
}

// deepEnd reads the exit code after an output of deepagents. n is how many bytes it takes, with
// the line of the backend that runs commands on the machine itself.
func deepEnd(text string) (code, n int, ok bool) {
	at := deepLine.FindStringSubmatchIndex(text)
	if at == nil {
		return 0, 0, false
	}
	code, err := strconv.Atoi(text[at[4]:at[5]])
	if err != nil || (text[at[2]:at[3]] == "succeeded") != (code == 0) {
		return 0, 0, false
	}
	from := at[0]
	if local := deepLocal.FindStringSubmatchIndex(text[:from]); local != nil && code != 0 &&
		text[local[2]:local[3]] == strconv.Itoa(code) {
		from = local[0]
	}
	return code, len(text) - from, true
}

// reported returns the text of a result without the frame of clients that report any failed call
// in one. ok is false if there is none.
func reported(text string) (inner string, ok bool) {
	if inside, found := strings.CutPrefix(text, "<tool_use_error>"); found {
		return strings.TrimSuffix(inside, "</tool_use_error>"), true
	}
	if found := wasThrown.FindStringSubmatch(text); found != nil {
		return found[1], true
	}
	if at := beeFailed.FindStringIndex(text); at != nil {
		return text[at[1]:], true
	}
	if at := kimiFailed.FindStringIndex(text); at != nil {
		return text[at[1]:], true
	}
	return text, false
}

// printed reads the object that Vercel's bash-tool answers to a command.
func printed(text string) (output string, code int, ok bool) {
	var object struct {
		Stdout, Stderr *string
		ExitCode       *int
		TeeFiles       []any
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if !strings.HasPrefix(text, "{") || d.Decode(&object) != nil || object.Stdout == nil ||
		object.Stderr == nil || object.ExitCode == nil {
		return "", 0, false
	}
	if output = *object.Stdout; *object.Stderr != "" {
		output = strings.TrimRight(output, "\n") + "\n" + *object.Stderr
	}
	return output, *object.ExitCode, true
}

// reportedByClaw reports whether a result is OpenClaw's report of a call that failed.
func (c *Call) reportedByClaw(text string) bool {
	var report map[string]string
	return json.Unmarshal([]byte(text), &report) == nil && len(report) == 3 &&
		report["status"] == "error" && report["tool"] == c.Tool && report["error"] != ""
}

// reportedByVolt reports whether a result is VoltAgent's report of a call that failed.
func (c *Call) reportedByVolt(text string) bool {
	var report struct {
		Error                         bool
		Message, ToolCallID, ToolName *string
	}
	return json.Unmarshal([]byte(text), &report) == nil && report.Error && report.Message != nil &&
		report.ToolCallID != nil && report.ToolName != nil && *report.ToolName == c.Tool
}

// reportsFailure reports whether a JSON result has members that may report a failure.
func reportsFailure(text string) bool {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return false
	}
	if object["is_error"] == true || object["isError"] == true || object["success"] == false ||
		object["ok"] == false {
		return true
	}
	switch e := object["error"].(type) {
	case string:
		return e != ""
	case map[string]any:
		return true
	case bool:
		return e
	}
	return false
}

// serialized is an exception in the form of Inngest's AgentKit.
var serialized = regexp.MustCompile(`^\{"error":\{"name":".*,"__serialized":true\}\}$`)

// thrownByNode reports whether a result begins with the message of Node's child_process, which
// repeats the command.
func (c *Call) thrownByNode(text string) bool {
	command := c.Command()
	return command != "" && c.Runs() &&
		regexp.MustCompile(`^(?:Error: |Command failed: )?Command failed: `+
			regexp.QuoteMeta(command)+`(?:\n|$)`).MatchString(text)
}

// The lines that OpenHands writes after an output, above all that of a command that goes on, and
// of one that it did not run because another one goes on.
var (
	stateLine = regexp.MustCompile(`^\[(?:The command (?:completed with exit code|has no new ` +
		`output after|timed out after)|Current working directory:|Python interpreter:|Command ` +
		`finished with exit code|Your command) .*\]$`)
	heldUp = regexp.MustCompile(`(?:^|\n)\[Your command "[^\n]*" is NOT executed\. [^\n]*\]$`)
	goesOn = regexp.MustCompile(`(?:^|\n)\[The command (?:has no new output|timed out) after ` +
		`[^\n]*\]$`)
)

// heldUpByHands returns how a call ended whose result ends with such a line.
func heldUpByHands(text string) (o Outcome, ok bool) {
	switch {
	case heldUp.MatchString(text):
		return Outcome{Failed: true}, true
	case goesOn.MatchString(text):
		return Outcome{doubtful: true}, true
	}
	return Outcome{}, false
}

// received returns the result of a call without what clients add to any.
func (c *Call) received() string {
	return added.ReplaceAllString(trusted(WithoutReminders(c.Result.Text())), "")
}

// withoutFrameLines returns a text without the lines that several clients put around an output.
func withoutFrameLines(text string) string {
	return strings.Join(insideFrame(strings.Split(text, "\n")), "\n")
}

// insideFrame returns the lines of an output among those of a result.
func insideFrame(lines []string) []string {
	if frameLine.MatchString(lines[0]) {
		for i, l := range lines[:min(len(lines), 10)] {
			if strings.TrimSpace(l) == "Output:" {
				return lines[i+1:]
			}
		}
	}
	if listed := listedOutput(lines); listed != nil {
		return listed
	}
	if n := len(lines) - 1; stateLine.MatchString(lines[n]) || lines[n] == "bash-$" {
		for n >= 0 && (stateLine.MatchString(lines[n]) || lines[n] == "bash-$" ||
			editorLine.MatchString(lines[n]) || lines[n] == "") {
			n--
		}
		return lines[:n+1]
	}
	if _, framed := stated(exitBefore, lines[0]); framed {
		lines = lines[1:]
	}
	if n := len(lines) - 1; n >= 0 {
		if _, framed := stated(exitAfter, lines[n]); framed {
			lines = lines[:n]
		}
	}
	return lines
}
