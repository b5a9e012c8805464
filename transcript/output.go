package transcript

import (
	"slices"
	"strings"

	"killick/rawjson"
	"killick/transcript/partial"
	"killick/transcript/speech"
	"killick/view"
)

// unframed returns the result of a call, or the form of it that is sent, without the frame that
// agents put around it: Codex's lines before "Output:", the line with the exit code at either end,
// the JSON around several results. What only looks like the frame of another agent's tool stays.
func (c *Call) unframed(m *view.Message, result string) string {
	result = speech.WithoutReminders(unwrapped(partial.AfterNotice(unwrapped(result))))
	if _, output, ok := cutCodex(result); ok {
		return output
	}
	if kimiFrame.tools[c.tool] && kimiRuns(result) {
		return ""
	}
	result = c.withoutReset(c.cutKimiTime(result))
	for _, cut := range []func(*Call, *view.Message, string) (string, bool){
		(*Call).ofTool, (*Call).fromMembers, (*Call).ofStopped, (*Call).framedByLine,
	} {
		if output, ok := cut(c, m, result); ok {
			return output
		}
	}
	return result
}

// ofTool returns the result of a tool without what this tool of one agent puts around it.
func (c *Call) ofTool(m *view.Message, result string) (output string, ok bool) {
	if c.tool == "read" {
		if text, ok := withoutDroidTags(result); ok {
			return text, true
		}
		if lines, ok := withoutKimiStatus(result); ok {
			return lines, true
		}
	}
	if c.ofAgent(droidFrame, m) {
		if output, ok := droidOutput(result); ok {
			return output, true
		}
	}
	if r, ok := c.readTask(result, result); ok && !backgroundTools[c.tool].stops {
		return r.output, true
	}
	if c.tool == "task" || c.tool == "agent" {
		return withoutAgentEnd(result)
	}
	if c.tool == "grep" && strings.HasPrefix(result, workspace) {
		_, found, _ := strings.Cut(result, "\n")
		return strings.TrimSuffix(found, "\n</workspace_result>"), true
	}
	if head, lines, ok := strings.Cut(result, "\n"); ok && c.tool == "mastraworkspacereadfile" &&
		strings.HasSuffix(head, " bytes)") {
		return lines, true // behind "PATH (lines 10-49 of 244, 13640 bytes)": Mastra 1.71.0
	}
	if strings.HasPrefix(result, "<task-id>") && c.ofAgent(grokFrame, m) {
		return "", true // it runs on: Grok Build 1.0.41
	}
	if strings.HasPrefix(result, "Command still running (session ") && c.ofAgent(clawFrame, m) {
		return "", true // likewise: OpenClaw 2026.9.6
	}
	return "", false
}

// fromMembers returns the output that is a member of a result: of JSON or of a list.
func (c *Call) fromMembers(_ *view.Message, result string) (output string, ok bool) {
	if output, ok := c.shellOutput(result); ok {
		return output, true
	}
	if geminiFrame.tools[c.tool] {
		if output, ok := memberOutput(result); ok {
			return output, true
		}
	}
	if itemTools[c.tool] {
		if items, ok := itemsOf(strings.TrimSpace(result)); ok {
			return outputOfItems(items), true
		}
	}
	return "", false
}

// ofStopped returns the output of a call that failed, or was stopped, without what says so.
func (c *Call) ofStopped(m *view.Message, result string) (output string, ok bool) {
	trimmed := strings.TrimRight(result, " \n")
	if before, behind := cutToolError(trimmed, trimmed); c.Failed() && before+behind > 0 {
		trimmed = withoutKimiTask(trimmed[before : len(trimmed)-behind])
		if i := strings.LastIndexByte(trimmed, '\n') + 1; c.Exit >= 0 && cutKimiError(result) > 0 {
			return trimmed[:i], true // without the line of the exit code
		}
		return trimmed, true
	}
	if before, behind := c.cutStop(m, trimmed, trimmed); before+behind > 0 {
		return strings.TrimRight(trimmed[before:len(trimmed)-behind], "\n"), true
	}
	return "", false
}

// framedByLine returns an output without the lines at its beginning or end that state how its
// command ended, or where the shell is.
func (c *Call) framedByLine(m *view.Message, result string) (output string, ok bool) {
	if opencodeFrame.tools[c.tool] && strings.HasSuffix(result, "</shell_metadata>") {
		if i := strings.LastIndex(result, "<shell_metadata>\n"); i >= 0 {
			return strings.TrimRight(result[:i], "\n"), true
		}
	}
	if at, _, ok := handsNotice(result); ok && c.ofAgent(handsFrame, m) {
		return strings.TrimRight(result[:at], "\n"), true
	}
	if output, ok := c.beforeState(result); ok {
		return output, true
	}
	first, rest, _ := strings.Cut(result, "\n")
	if _, by, framed := exitCode(first, ""); framed && c.ofAgent(by, m) {
		if by == continueFrame { // the output begins in the same line
			_, rest, _ = strings.Cut(result, "): ")
		}
		return rest, true
	}
	if strings.HasPrefix(result, "{") && c.mayFrame(printFrame, m) {
		if output, _, ok := readPrint(result); ok {
			return output, true
		}
	}
	trimmed := strings.TrimRight(result, " \n")
	if _, n, framed := deepExit(trimmed); framed && c.mayFrame(deepFrame, m) {
		return trimmed[:len(trimmed)-n], true
	}
	trimmed = withoutSandbox(trimmed)
	if i := strings.LastIndexByte(trimmed, '\n') + 1; len(trimmed)-i < maxFrame {
		if _, by, framed := lastExit(trimmed, i == 0); framed && c.mayFrame(by, m) {
			return trimmed[:i], true
		}
	}
	return "", false
}

// isShellResult reports whether an object is what Codex's shell returned. A command that only shows
// something may show such an object.
func (c *Call) isShellResult(object rawjson.Value) bool {
	return codexFrame.tools[c.tool] && c.Effect == Runs && !c.OnlyReads() &&
		object.Get("output").Kind() == rawjson.String &&
		object.Get("metadata").Kind() == rawjson.Object && onlyHas(object, shellMembers)
}

// shellOutput returns the output in such an object.
func (c *Call) shellOutput(result string) (output string, ok bool) {
	if !strings.HasPrefix(result, "{") || !codexFrame.tools[c.tool] {
		return "", false
	}
	object := rawjson.Only(result)
	if object == nil || !c.isShellResult(object) {
		return "", false
	}
	return object.Get("output").Text(), true
}

// mayFrame reports whether the last line of the result m may be a frame. Of an agent that ends
// every output with it, what a command shows is not said to end with that line.
func (c *Call) mayFrame(f *frame, m *view.Message) bool {
	return c.ofAgent(f, m) || f.always && f.tools[c.tool] && c.OnlyReads()
}

// deepVerdicts begin the last line of an output, by whether the command succeeded.
var deepVerdicts = map[bool]string{true: "[Command succeeded with exit code ",
	false: "[Command failed with exit code "}

// deepExit reads the line behind an output: "[Command failed with exit code 2]". It is preceded by
// that of LocalShellBackend, if the command failed, and followed by a notice if the backend cut the
// output. length is what the frame takes at the end of tail.
func deepExit(tail string) (code, length int, ok bool) {
	text := strings.TrimSuffix(tail, "\n[Output was truncated due to size limits]")
	at := strings.LastIndexByte(text, '\n') + 1
	for succeeded, before := range deepVerdicts {
		if code, ok = between(text[at:], before, "]"); ok && succeeded == (code == 0) {
			text = strings.TrimSuffix(text[:at], "\n")
			if code != 0 {
				at = strings.LastIndexByte(text, '\n') + 1
				last, local := between(text[at:], "Exit code: ", "")
				if local && last == code && strings.HasSuffix(text[:at], "\n\n") {
					text = text[:at-len("\n\n")]
				}
			}
			return code, len(tail) - len(text), true
		}
	}
	return 0, 0, false
}

var printMembers = set("stdout", "stderr", "exitCode", "teeFiles")

// readPrint reads that object, with what went to stderr behind the rest.
func readPrint(result string) (output string, code int, ok bool) {
	object := rawjson.Value(strings.TrimSpace(result))
	if object.Kind() != rawjson.Object || !onlyHas(object, printMembers) {
		return "", 0, false
	}
	stdout, stderr := object.Get("stdout"), object.Get("stderr")
	code, ok = number(string(object.Get("exitCode")))
	if !ok || stdout.Kind() != rawjson.String || stderr.Kind() != rawjson.String {
		return "", 0, false
	}
	output = stdout.Text()
	if errors := stderr.Text(); errors != "" {
		output = strings.TrimRight(output, "\n") + "\n" + errors
	}
	return output, code, true
}

// codexLines are the beginnings of the lines that Codex (0.169) writes before "Output:".
var codexLines = []string{"Chunk ID: ", "Wall time: ", "Wall time ", "Process exited with code ",
	sessionLine, "Original token count: ", "Exit code: ", "Total output lines: ",
	"Script completed", "Script failed", "Script terminated", scriptRunning}

// cutCodex returns the lines that Codex writes before an output, and the output. ok is false if
// other lines precede it.
func cutCodex(result string) (lines, output string, ok bool) {
	for at := 0; at < min(len(result), endBytes); {
		line, _, more := strings.Cut(result[at:], "\n")
		if line = strings.TrimSuffix(line, "\r"); line == "Output:" {
			if lines = result[:at]; more {
				output = result[at+strings.IndexByte(result[at:], '\n')+1:]
			}
			if strings.HasPrefix(lines, "Script ") { // which is a text of its own
				output = strings.TrimPrefix(output, "\n")
			}
			return lines, output, at > 0
		}
		if !more || !slices.ContainsFunc(codexLines, func(start string) bool {
			return strings.HasPrefix(line, start)
		}) {
			break
		}
		at += strings.IndexByte(result[at:], '\n') + 1
	}
	return "", result, false
}

// What Gemini CLI (0.61.0) puts around the outputs of commands, of MCP servers and of web pages. It
// escapes the end in the output.
const untrusted, untrustedEnd = "<untrusted_context>\n", "\n</untrusted_context>"

// workspace begins what Grok Build (1.0.41) puts around what a search found.
const workspace = `<workspace_result workspace_path="`

// unwrapped returns a result, or its beginning or end, without what Gemini CLI puts around it.
func unwrapped(result string) string {
	return strings.TrimSuffix(strings.TrimPrefix(result, untrusted), untrustedEnd)
}

// memberOutput returns the value of the member "Output" in the list of members that qwen-code
// (0.24.4) and gemini-cli (0.61.0) write.
func memberOutput(result string) (output string, ok bool) {
	result = withoutHints(result)
	names := members
	from := strings.Index(result[:min(len(result), endBytes)], "\nOutput: ")
	switch {
	case strings.HasPrefix(result, "Output: "):
		from, names = len("Output: "), members[:len(members)-1]
	case strings.HasPrefix(result, "Command: ") && from >= 0:
		from += len("\nOutput: ")
	default:
		return "", false
	}
	to := len(result)
	for {
		at := strings.LastIndexByte(result[from:to], '\n')
		if at < 0 {
			break
		}
		member, _, found := strings.Cut(result[from+at+1:to], ": ")
		i := slices.Index(names, member)
		if !found || i < 0 {
			break
		}
		to, names = from+at, names[i+1:]
	}
	return result[from:to], true
}

// finished begins the line with the exit code that OpenHands appends to an output.
const finished = "[Command finished with exit code "

// handsNotices begin the line that OpenHands (runtime/utils/bash.py) appends to the output of a
// command that goes on, or that was not run because another one goes on.
var handsNotices = []struct {
	start, has string
	ran        bool
}{
	{"[The command has no new output after ", " seconds. ", true},
	{"[The command timed out after ", " seconds. ", true},
	{`[Your command "`, `" is NOT executed. The previous command is still running`, false},
}

// handsNotice returns where such a line begins at the end of a result, and whether the command was
// run.
func handsNotice(result string) (at int, ran, ok bool) {
	result = strings.TrimRight(result, " \n")
	if !strings.HasSuffix(result, "]") {
		return 0, false, false
	}
	for _, n := range handsNotices {
		at = strings.LastIndex(result, n.start)
		if at >= 0 && (at == 0 || result[at-1] == '\n') && strings.Contains(result[at:], n.has) {
			return at, n.ran, true
		}
	}
	return 0, false, false
}

// stateLines are the lines that agents append to an output to state where their shell is. The last
// of them begins with ends.
var stateLines = []struct{ ends, start, end string }{
	// OpenHands' CmdOutputObservation
	{"[", "[The command completed with exit code ", ".]"},
	{"[", "[Current working directory: ", "]"},
	{"[", "[Python interpreter: ", "]"},
	{"[", finished, "]"},
	// SWE-agent's recorded demonstrations
	{"bash-$", "(Open file: ", ")"},
	{"bash-$", "(Current directory: ", ")"},
	{"bash-$", "(Interactive session: ", ")"},
	{"bash-$", "bash-$", ""},
}

// beforeState returns the output before such lines.
func (c *Call) beforeState(result string) (output string, ok bool) {
	output = strings.TrimRight(result, " \n")
	ends := output[strings.LastIndexByte(output, '\n')+1:]
	if strings.HasPrefix(ends, "[") && !handsFrame.tools[c.tool] {
		return result, false
	}
	for {
		at := strings.LastIndexByte(output, '\n') + 1
		if !isStateLine(strings.TrimSpace(output[at:]), ends) {
			return output, ok
		}
		output, ok = strings.TrimRight(output[:at], "\n"), true
		if at == 0 {
			return "", true
		}
	}
}

func isStateLine(line, ends string) bool {
	for _, s := range stateLines {
		if strings.HasPrefix(ends, s.ends) && strings.HasPrefix(line, s.start) &&
			strings.HasSuffix(line, s.end) {
			return true
		}
	}
	return false
}

// members are the members that qwen-code and gemini-cli list after the output, from the last to the
// first. A list without the command (gemini-cli 0.61.0) has no error unless nothing was run: a line
// that begins so is a program's.
var members = []string{"Process Group PGID", "Background PIDs", "Signal", "Exit Code", "Error"}

// maxFrame limits a line of a frame, in bytes.
const maxFrame = 100

// LastLine returns the last line of a text that is not empty.
func LastLine(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	last := strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
	// what agents write if there is no output
	switch last {
	case "(no output)", "(empty)", "(Bash completed with no output)",
		"(Command completed with no output)", // Letta Code 0.25.9
		"Command executed successfully.":     // Kimi Code 2.1.0
		return ""
	}
	return last
}

// Texts returns the string arguments of a call, each on its own lines, without its action and its
// options.
func (c *Call) Texts() string {
	var b strings.Builder
	shell := c.isShell()
	for i := range c.Args {
		name := keyName(c.Args[i].root())
		option := shell && shellKeys[name] || lists[c.tool] && name == "outputmode"
		if c.Args[i].Quoted && !option && (c.action == "" || c.Args[i].Text != c.action) {
			b.WriteString(c.Args[i].Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
