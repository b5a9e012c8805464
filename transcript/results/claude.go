package results

import "strings"

// resetNotice begins the line after an output by which Claude Code (2.1) states that its shell is
// in the project's folder again, which the command had left.
const resetNotice = "Shell cwd was reset to "

// withoutReset returns a result without such a line. That of a command that only shows something
// may belong to a log.
func (c *Call) withoutReset(result string) string {
	at := strings.LastIndexByte(result, '\n') + 1
	if claudeFrame.tools[c.Tool] && strings.HasPrefix(result[at:], resetNotice) && !c.OnlyReads() {
		return strings.TrimSuffix(result[:at], "\n")
	}
	return result
}

// withoutAgentEnd returns the report of a sub-agent without the lines that Claude Code (2.1.330)
// puts after it: its id, and what it cost.
func withoutAgentEnd(report string) (text string, ok bool) {
	at := strings.LastIndex(report, "\nagentId: ")
	if at < 0 {
		return report, false
	}
	id, rest, _ := strings.Cut(strings.TrimSpace(report[at:]), "\n")
	if !strings.HasSuffix(id, ")") || rest != "" &&
		!(strings.HasPrefix(rest, "<usage>") && strings.HasSuffix(rest, "</usage>")) {
		return report, false
	}
	return report[:at], true
}
