package results

import (
	"slices"
	"strings"

	"killick/rawjson"
	"killick/transcript/partial"
	"killick/view"
)

// Agents report the exit code of a command in a frame around its output. Each frame is read only at
// the place where its agent puts it: the same words elsewhere are output.

// exitFrame reads the exit code of a call. For calls that do not run a command, only Codex reports
// one, but never for reads of files.
func (c *Call) exitFrame(m *view.Message, head, tail string) (code int, ok bool) {
	by := codexFrame
	switch {
	case c.Reads:
		return 0, false
	case c.Runs:
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
	if strings.HasPrefix(inner, "Command: ") || strings.HasPrefix(inner, "Output: ") {
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

// sandboxLines begin the lines that Copilot CLI (1.0.102) appends after the exit code.
var sandboxLines = []string{"<sandbox is active ",
	"<this failure may be caused by the active sandbox policy.",
	"<This command was retried outside the Copilot sandbox with user approval and still failed."}

// withoutSandbox returns the end of a result without such lines.
func withoutSandbox(tail string) string {
	for {
		at := strings.LastIndexByte(tail, '\n') + 1
		if !slices.ContainsFunc(sandboxLines, func(start string) bool {
			return strings.HasPrefix(tail[at:], start)
		}) {
			return tail
		}
		tail = strings.TrimRight(tail[:at], " \r\n")
	}
}

// deepVerdicts begin the last line of an output, by whether the command succeeded.
var deepVerdicts = map[bool]string{true: "[Command succeeded with exit code ",
	false: "[Command failed with exit code "}

// deepExit reads the line after an output: "[Command failed with exit code 2]". It is preceded by
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
				last, _ := between(text[at:], "Exit code: ", "")
				if last == code && strings.HasSuffix(text[:at], "\n\n") {
					text = text[:at-len("\n\n")]
				}
			}
			return code, len(tail) - len(text), true
		}
	}
	return 0, 0, false
}

// printMembers are the members of the object that Vercel's bash-tool (1.3.19) returns.
var printMembers = set("stdout", "stderr", "exitCode", "teeFiles")

// readPrint reads such an object. output has what went to stderr after the rest.
func readPrint(result string) (output string, code int, ok bool) {
	object := rawjson.Value(strings.TrimSpace(result))
	if !onlyHas(object, printMembers) {
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
