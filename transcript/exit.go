package transcript

import (
	"slices"
	"strings"

	"killick/rawjson"
	"killick/transcript/partial"
	"killick/view"
)

// Agents report the exit code of a command in a frame around its output. Each frame is read only at
// the place where its agent puts it: the same words elsewhere are output.

// frame is an agent's form of stating how a command ended.
type frame struct {
	tools map[string]bool // the agent's tools that answer with it, as toolName spells them
	// bare is set if results of these tools may lack it, so that a program can print the same line
	// in its place.
	bare bool
	// always is set if the agent writes it behind every output.
	always bool
	// argument is in every call of the agent, where other agents have tools of the same name; "":
	// none is needed.
	argument string
}

var (
	claudeFrame   = &frame{tools: set("bash", "powershell"), bare: true}
	clineFrame    = &frame{tools: set("runcommands"), bare: true}
	oldClineFrame = &frame{tools: set("executecommand")}
	continueFrame = &frame{tools: set("bash", "runterminalcommand"), bare: true}
	piFrame       = &frame{tools: set("bash"), bare: true}
	// The tools of other agents have the same names.
	copilotFrame  = &frame{tools: set("bash", "powershell"), bare: true, always: true}
	opencodeFrame = &frame{tools: set("bash"), bare: true}
	handsFrame    = &frame{tools: set("executebash", "run", "cmdrun", "terminal")}
	geminiFrame   = &frame{tools: set("runshellcommand")}
	qwenFrame     = &frame{tools: set("runshellcommand"), bare: true}
	grokFrame     = &frame{tools: set("runterminalcommand"), argument: "description"}
	clawFrame     = &frame{tools: set("exec"), bare: true, argument: "command"}
	// LangChain's deepagents 1.14.1
	deepFrame = &frame{tools: set("execute"), bare: true, always: true, argument: "command"}
	// Vercel's bash-tool 1.3.19 for the AI SDK: an object
	printFrame = &frame{tools: set("bash"), bare: true, always: true, argument: "command"}
	// Letta Code 0.25.9
	lettaFrame = &frame{tools: set("shellcommand"), bare: true}
	kimiFrame  = &frame{tools: set("bash"), bare: true}
	// Mastra 1.71.0: behind a command that failed
	mastraFrame = &frame{tools: set("mastraworkspaceexecutecommand"), bare: true}
	codexFrame  = &frame{tools: set("shell", "localshell", "shellcommand", "exec", "execcommand",
		"containerexec", "unifiedexec", "writestdin", "applypatch", waitTool)}
)

// ofAgent reports whether a frame in the result m states how the call ended. It does not if other
// tools write it. A bare frame also does not if the command only shows something, because that may
// be a log with such a line, or if the API says that the call did not fail.
func (c *Call) ofAgent(f *frame, m *view.Message) bool {
	return f.tools[c.tool] && (f.argument == "" || c.argument(f.argument) != nil) &&
		!(f.bare && (c.OnlyReads() || deniesError(m)))
}

// exitFrame reads the exit code of a call. For calls that do not run a command, only Codex reports
// one, but never for reads of files.
func (c *Call) exitFrame(m *view.Message, head, tail string) (code int, ok bool) {
	by := codexFrame
	switch c.Effect {
	case Reads:
		return 0, false
	case Runs:
		if code, by, ok = exitCode(head, tail); !ok && strings.HasPrefix(head, "{") {
			by = printFrame
			_, code, ok = readPrint(m.Text())
		}
	default:
		code, ok, _ = codexExit(head)
	}
	return code, ok && c.ofAgent(by, m)
}

// exitCode reads the exit code of a command from the beginning and the end of its result. by is the
// frame that states it.
func exitCode(head, tail string) (code int, by *frame, ok bool) {
	if code, ok, framed := codexExit(head); framed {
		return code, codexFrame, ok
	}
	if cutKimiError(head) > 0 { // Kimi Code 2.1.0, in the last line
		tail = withoutKimiTask(tail)
		last := tail[strings.LastIndexByte(tail, '\n')+1:]
		code, ok = between(last, "Command failed with exit code: ", ".")
		return code, kimiFrame, ok
	}
	first, rest, _ := strings.Cut(head, "\n")
	first = strings.TrimRight(first, "\r")
	for _, f := range []struct {
		before, after string
		by            *frame
	}{
		{"Exit code ", "", claudeFrame},                                    // Claude Code 2.1
		{"[Command exited with code ", "]", clineFrame},                    // Cline 3.0.65
		{"Command failed with exit code ", ".", oldClineFrame},             // Cline 2.18.0
		{"Command executed successfully (exit code ", ").", oldClineFrame}, // Cline 2.18.0
	} {
		if code, ok = between(first, f.before, f.after); ok {
			return code, f.by, true
		}
	}
	first = strings.TrimPrefix(first, "Error executing tool Bash: ")
	if failed, found := strings.CutPrefix(first, "Error (exit code "); found { // Continue 1.5.47
		digits, _, closed := strings.Cut(failed, "): ")
		code, ok = number(digits)
		return code, continueFrame, ok && closed
	}
	if exited, found := strings.CutPrefix(first, "exit: "); found { // Grok Build 1.0.41
		digits, notice, cut := strings.Cut(exited, " ")
		code, ok = number(digits)
		return code, grokFrame, ok && (!cut || strings.HasPrefix(notice, "[truncated: showing "))
	}
	inner := unwrapped(partial.AfterNotice(unwrapped(head)))
	if strings.HasPrefix(inner, "Command: ") || strings.HasPrefix(inner, "Output: ") ||
		strings.HasPrefix(inner, "Stdout: ") {
		code, ok = geminiExit(withoutHints(unwrapped(tail)))
		return code, geminiFrame, ok
	}
	if code, ok = droidExit(head, tail); ok {
		return code, droidFrame, true
	}
	return lastExit(tail, rest == "")
}

// lastExit reads the line that agents append to the output. alone is true if the result has one
// line.
func lastExit(tail string, alone bool) (code int, by *frame, ok bool) {
	tail = withoutSandbox(strings.TrimRight(tail, " \r\n"))
	if code, _, ok = deepExit(tail); ok { // deepagents 1.14.1
		return code, deepFrame, true
	}
	at := strings.LastIndexByte(tail, '\n') + 1
	last := strings.TrimSpace(tail[at:])
	// pi 1.5.2 and 0.73.1, after an empty line
	if code, ok = between(last, "Command exited with code ", ""); ok {
		return code, piFrame, alone || strings.HasSuffix(tail[:at], "\n\n")
	}
	// OpenClaw 2026.9.6, likewise
	if code, ok = between(last, "(Command exited with code ", ")"); ok {
		return code, clawFrame, alone || strings.HasSuffix(tail[:at], "\n\n")
	}
	// Mastra 1.71.0, likewise
	if code, ok = between(last, "Exit code: ", ""); ok {
		return code, mastraFrame, alone || strings.HasSuffix(tail[:at], "\n\n")
	}
	if code, ok = clawCodes[last]; ok {
		return code, clawFrame, alone || strings.HasSuffix(tail[:at], "\n\n")
	}
	if code, ok = between(last, "<exited with exit code ", ">"); ok { // Copilot CLI 1.0.0
		return code, copilotFrame, true
	}
	if code, ok = between(last, finished, "]"); ok { // OpenHands' CmdOutputObservation
		return code, handsFrame, true
	}
	// Copilot CLI 1.0.102
	for _, start := range []string{"<shellId: ", "<detached command with shellId: "} {
		if shell, found := strings.CutPrefix(last, start); found {
			if i := strings.Index(shell, " completed with exit code "); i >= 0 {
				code, ok = between(shell[i:], " completed with exit code ", ">")
				return code, copilotFrame, ok
			}
		}
	}
	return 0, nil, false
}

// clawCodes are the lines of OpenClaw (2026.9.6) that stand for an exit code.
var clawCodes = map[string]int{"Command not found": 127,
	"Command not executable (permission denied)": 126}

// stopsBefore begin the first line of a result, and stopsBehind are the last line behind an empty
// one, where an agent ended the command before the command's own end.
var (
	stopsBefore = []struct {
		start string
		by    []*frame
	}{
		// qwen-code 0.24.4; Claude Code 1.0.128; pi, if there is no output; Droid 0.215.0
		{droidTimeout, []*frame{qwenFrame, claudeFrame, piFrame, droidFrame}},
		// qwen-code 0.24.4, gemini-cli 0.61.0
		{"Command was cancelled by user before it could complete.", []*frame{qwenFrame}},
		{"exit: killed (", []*frame{grokFrame}}, // Grok Build 1.0.41
		// gemini-cli 0.61.0
		{"Command was automatically cancelled because it exceeded the timeout of ",
			[]*frame{qwenFrame}},
	}
	stopsBehind = []struct {
		start, end string
		by         *frame
	}{
		{"Command aborted", "", piFrame},                               // pi 0.87.1
		{"Command timed out after ", " seconds", piFrame},              // pi 0.87.1
		{"Command terminated without an exit code", "", piFrame},       // pi 0.87.1
		{"[Command timed out after ", " of no output]", continueFrame}, // Continue 1.5.47
	}
)

// stopped returns the frames, of which one says that the agent ended the command, nil if there are
// none. The notice takes before bytes at the beginning of head, or behind bytes at the end of tail.
func stopped(head, tail string) (by []*frame, before, behind int) {
	if behind = stoppedByClaw(head, tail); behind > 0 {
		return []*frame{clawFrame}, 0, behind
	}
	first, rest, more := strings.Cut(head, "\n")
	if before = len(first); more {
		before++
	}
	for _, s := range stopsBefore {
		if strings.HasPrefix(first, s.start) {
			return s.by, before, 0
		}
	}
	if strings.HasPrefix(first, "Wall time: ") && rest == "aborted by user" ||
		strings.HasPrefix(first, "aborted by user after ") && !more { // Codex 0.169
		return []*frame{codexFrame}, len(head), 0
	}
	if head == "Command timed out" { // Letta Code 0.25.9, without what the command printed
		return []*frame{lettaFrame}, len(head), 0
	}
	if strings.HasSuffix(tail, "</shell_metadata>") { // opencode 1.18.33
		i := strings.LastIndex(tail, "<shell_metadata>\n")
		if i >= 0 && (strings.Contains(tail[i:], "terminated command after exceeding timeout") ||
			strings.Contains(tail[i:], "\nUser aborted the command\n")) {
			return []*frame{opencodeFrame}, 0, len(tail) - i
		}
	}
	at := strings.LastIndexByte(tail, '\n') + 1
	for _, s := range stopsBehind {
		end := s.start + s.end
		if last := tail[at:]; len(last) >= len(end) && strings.HasPrefix(last, s.start) &&
			strings.HasSuffix(last, s.end) && (s.end != "" || last == end) &&
			(tail == head && at == 0 || strings.HasSuffix(tail[:at], "\n\n")) {
			return []*frame{s.by}, 0, len(last)
		}
	}
	return nil, 0, 0
}

// clawStops begin the line of OpenClaw (2026.9.6), behind an empty one, for a command that it
// ended. Advice follows, or may follow, in paragraphs of their own.
var clawStops = []struct {
	start, advice string
	advised       bool
}{
	{"Command timed out", "The command was terminated, but external side effects may already " +
		"have completed.", true},
	{"Command aborted by signal ", "OpenClaw selected its Linux OOM-score wrapper, ", false},
	{"Command aborted before exit code was captured", "", false},
}

// stoppedByClaw returns how many bytes at the end of a result are such a line and what follows it.
func stoppedByClaw(head, tail string) int {
	if !strings.Contains(tail, "Command ") { // with which each of them begins
		return 0
	}
	for _, s := range clawStops {
		at := strings.LastIndex(tail, s.start)
		if at < 0 || !strings.HasSuffix(tail[:at], "\n\n") && (at > 0 || tail != head) {
			continue
		}
		_, advice, more := strings.Cut(tail[at:], "\n")
		if !more && !s.advised ||
			s.advice != "" && strings.HasPrefix(advice, "\n"+s.advice) {
			return len(tail) - at
		}
	}
	return 0
}

// clawMembers are the members of OpenClaw's (2026.9.6) report of a call that failed.
var clawMembers = set("status", "tool", "error")

// clawFailed reports whether an object is that report, which names the tool. A tool that only shows
// something may have been asked for such an object.
func (c *Call) clawFailed(object rawjson.Value) bool {
	return c.Effect != Reads && !c.OnlyReads() && object.Get("status").Is("error") &&
		object.Get("tool").Is(c.Name) && object.Get("error").Kind() == rawjson.String &&
		onlyHas(object, clawMembers)
}

// cutStop returns how many bytes at either end of a result say that the agent ended the call.
func (c *Call) cutStop(m *view.Message, head, tail string) (before, behind int) {
	by, before, behind := stopped(head, tail)
	if !slices.ContainsFunc(by, func(f *frame) bool {
		return (c.Effect == Runs || f == codexFrame) && c.ofAgent(f, m)
	}) {
		return 0, 0
	}
	return before, behind
}

// codexExit reads the lines that Codex puts before the output. They lack a code if the command is
// still running.
func codexExit(head string) (code int, ok, framed bool) {
	lines, _, framed := cutCodex(head)
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		for _, before := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok = between(line, before, ""); ok {
				return code, true, true
			}
		}
	}
	return 0, false, framed
}

// sandboxLines begin the lines that Copilot CLI (1.0.102) appends behind the exit code.
var sandboxLines = []string{"<sandbox is active ",
	"<this failure may be caused by the active sandbox policy.",
	"<This command was retried outside the Copilot sandbox with user approval and still failed."}

// withoutSandbox returns the end of a result without such lines.
func withoutSandbox(tail string) string {
	for {
		at := strings.LastIndexByte(tail, '\n') + 1
		if at == 0 || !slices.ContainsFunc(sandboxLines, func(start string) bool {
			return strings.HasPrefix(tail[at:], start)
		}) {
			return tail
		}
		tail = strings.TrimRight(tail[:at], " \r\n")
	}
}

// hints begin the paragraphs that qwen-code (0.24.4) appends behind the members.
var hints = []string{"Note: this foreground command ran for ", "AI attribution note skipped: "}

// withoutHints returns the end of a result without such paragraphs.
func withoutHints(tail string) string {
	for {
		at := strings.LastIndex(tail, "\n\n")
		if at < 0 || !slices.ContainsFunc(hints, func(start string) bool {
			return strings.HasPrefix(tail[at+len("\n\n"):], start)
		}) {
			return tail
		}
		tail = tail[:at]
	}
}

// geminiExit reads the exit code in the members that qwen-code (0.24.4) and gemini-cli (0.61.0)
// list after the output. Only other members may follow it.
func geminiExit(tail string) (code int, ok bool) {
	tail = "\n" + strings.TrimSpace(tail)
	for {
		at := strings.LastIndexByte(tail, '\n')
		if at < 0 {
			return 0, false
		}
		line := strings.TrimSpace(tail[at+1:])
		if code, ok = between(line, "Exit Code: ", ""); ok {
			return code, true
		}
		member, _, _ := strings.Cut(line, ": ")
		switch member {
		case "Signal", "Background PIDs", "Process Group PGID":
			tail = tail[:at]
		default:
			return 0, false
		}
	}
}

// resetNotice begins the line behind an output by which Claude Code (2.1) states that its shell is
// in the project's folder again, which the command had left.
const resetNotice = "Shell cwd was reset to "

// withoutReset returns a result without such a line. That of a command that only shows something
// may belong to a log.
func (c *Call) withoutReset(result string) string {
	at := strings.LastIndexByte(result, '\n') + 1
	if claudeFrame.tools[c.tool] && strings.HasPrefix(result[at:], resetNotice) && !c.OnlyReads() {
		return strings.TrimSuffix(result[:at], "\n")
	}
	return result
}
