package results

import (
	"slices"
	"strings"
)

// The frames of scripts (Codex 0.169).
const (
	ScriptCompleted = "Script completed\nWall time "
	ScriptFailed    = "Script failed\nWall time "
	ScriptRunning   = "Script running with cell ID "
	ScriptStopped   = "Script terminated\nWall time "
)

// codexLines are the beginnings of the lines that Codex (0.169) writes before "Output:".
var codexLines = []string{"Chunk ID: ", "Wall time: ", "Wall time ", "Process exited with code ",
	sessionLine, "Original token count: ", "Exit code: ", "Total output lines: ",
	"Script completed", "Script failed", "Script terminated", ScriptRunning}

// CodexOutput returns a result without the lines that Codex writes before an output.
func CodexOutput(result string) string {
	_, output, _ := cutCodex(result)
	return output
}

// afterWallTime returns a result, or its beginning, without the two lines that Codex (0.163) writes
// before what a tool of MCP returned: "Wall time: 0.0140 seconds", "Output:".
func afterWallTime(head string) string {
	if line, rest, _ := strings.Cut(head, "\n"); strings.HasPrefix(line, "Wall time: ") {
		if output, ok := strings.CutPrefix(rest, "Output:\n"); ok {
			return output
		}
	}
	return head
}

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

// codexExit reads the lines that Codex puts before the output. They lack a code if the command is
// still running.
func codexExit(head string) (code int, ok, framed bool) {
	lines, _, framed := cutCodex(head)
	for line := range strings.Lines(lines) {
		for _, before := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok = between(line, before, ""); ok {
				return code, true, true
			}
		}
	}
	return 0, false, framed
}

// Cell begins the session of a call whose script goes on: the id of the script's cell follows.
const Cell = "cell "

// sessionLine begins the line by which Codex (0.169) states such a session.
const sessionLine = "Process running with session ID "

// maxSession limits the id of a session, in letters, digits, "-" and "_".
const maxSession = 20

// CodexSession returns the session that the lines before an output state, "" if they state none.
func CodexSession(head string) string {
	lines, _, _ := cutCodex(head)
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, sessionLine); ok && IsSession(id) {
			return id
		}
		if id, ok := strings.CutPrefix(line, ScriptRunning); ok && IsSession(id) {
			return Cell + id
		}
	}
	return ""
}

// IsSession reports whether a text can be the id of a session.
func IsSession(id string) bool {
	return id != "" && len(id) <= maxSession && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' &&
			!('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}
