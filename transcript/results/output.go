package results

import (
	"strings"

	"killick/transcript/partial"
	"killick/transcript/speech"
	"killick/view"
)

// Output returns the result m of a call, or the form of it that is sent, without the frame that
// agents put around it: Codex's lines before "Output:", the line with the exit code at either end,
// the JSON around several results. What only looks like the frame of another agent's tool stays.
func (c *Call) Output(m *view.Message, result string) string {
	result = speech.WithoutReminders(unwrapped(partial.AfterNotice(unwrapped(result))))
	if _, output, ok := cutCodex(result); ok {
		return output
	}
	if kimiFrame.tools[c.Tool] && kimiRuns(result) {
		return ""
	}
	result = c.withoutReset(c.cutOhMyTime(c.cutKimiTime(result)))
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
	if c.Tool == "read" {
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
	if r, ok := c.readTask(result, result); ok && !backgroundTools[c.Tool].stops {
		return r.output, true
	}
	if c.Tool == "task" || c.Tool == "agent" {
		if report, ok := kimiReport(result); ok {
			return report, true
		}
		return withoutAgentEnd(result)
	}
	if c.Tool == "grep" && strings.HasPrefix(result, workspace) {
		_, found, _ := strings.Cut(result, "\n")
		return strings.TrimSuffix(found, "\n</workspace_result>"), true
	}
	if head, lines, ok := strings.Cut(result, "\n"); ok && c.Tool == "mastraworkspacereadfile" &&
		strings.HasSuffix(head, " bytes)") {
		return lines, true // after "PATH (lines 10-49 of 244, 13640 bytes)": Mastra 1.71.0
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
	if geminiFrame.tools[c.Tool] {
		if output, ok := memberOutput(result); ok {
			return output, true
		}
	}
	if itemTools[c.Tool] {
		if items, ok := itemsOf(strings.TrimSpace(result)); ok {
			return outputOfItems(items), true
		}
	}
	return "", false
}

// ofStopped returns the output of a call that failed, or was stopped, without what says so.
func (c *Call) ofStopped(m *view.Message, result string) (output string, ok bool) {
	trimmed := strings.TrimRight(result, " \n")
	if before, after := cutToolError(trimmed, trimmed); c.Failed && before+after > 0 {
		trimmed = withoutKimiTask(trimmed[before : len(trimmed)-after])
		if i := strings.LastIndexByte(trimmed, '\n') + 1; c.Exited && cutKimiError(result) > 0 {
			return trimmed[:i], true // without the line of the exit code
		}
		return trimmed, true
	}
	if before, after := c.cutStop(m, trimmed, trimmed); before+after > 0 {
		return strings.TrimRight(trimmed[before:len(trimmed)-after], "\n"), true
	}
	return "", false
}

// framedByLine returns an output without the lines at its beginning or end that state how its
// command ended, or where the shell is.
func (c *Call) framedByLine(m *view.Message, result string) (output string, ok bool) {
	if opencodeFrame.tools[c.Tool] && strings.HasSuffix(result, "</shell_metadata>") {
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

// workspace begins what Grok Build (1.0.41) puts around what a search found.
const workspace = `<workspace_result workspace_path="`

// maxFrame limits a line of a frame, in bytes.
const maxFrame = 100
