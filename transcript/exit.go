package transcript

import (
	"strconv"
	"strings"
)

// Agents report the exit code of a command in a frame around its output. Each frame is read only at
// the place where its agent puts it: the same words elsewhere are output.

// exitFrame reads the exit code of a call. For calls that do not run a command, only Codex reports
// one, but never for reads of files.
func exitFrame(head, tail string, effect Effect) (code int, ok bool) {
	switch effect {
	case Reads:
		return 0, false
	case Runs:
		return exitCode(head, tail)
	}
	code, ok, _ = codexExit(head)
	return code, ok
}

// exitCode reads the exit code of a command from the beginning and the end of its result.
func exitCode(head, tail string) (code int, ok bool) {
	if code, ok, framed := codexExit(head); framed {
		return code, ok
	}
	first, rest, _ := strings.Cut(head, "\n")
	first = strings.TrimRight(first, "\r")
	for _, f := range []struct{ before, after string }{
		{"Exit code ", ""},                                  // Claude Code 2.1
		{"[Command exited with code ", "]"},                 // Cline 3.0.65
		{"Command failed with exit code ", "."},             // Cline 2.18.0
		{"Command executed successfully (exit code ", ")."}, // Cline 2.18.0
	} {
		if code, ok = between(first, f.before, f.after); ok {
			return code, true
		}
	}
	first = strings.TrimPrefix(first, "Error executing tool Bash: ")
	if failed, found := strings.CutPrefix(first, "Error (exit code "); found { // Continue 1.5.47
		digits, _, closed := strings.Cut(failed, "): ")
		code, ok = number(digits)
		return code, ok && closed
	}
	if strings.HasPrefix(head, "Command: ") || strings.HasPrefix(head, "Output: ") ||
		strings.HasPrefix(head, "Stdout: ") {
		return geminiExit(tail)
	}
	return lastExit(tail, rest == "")
}

// lastExit reads the line that agents append to the output. alone is true if the result has one
// line.
func lastExit(tail string, alone bool) (code int, ok bool) {
	tail = strings.TrimRight(tail, " \r\n")
	at := strings.LastIndexByte(tail, '\n') + 1
	last := strings.TrimSpace(tail[at:])
	// pi 1.5.2 and 0.73.1, after an empty line
	if code, ok = between(last, "Command exited with code ", ""); ok {
		return code, alone || strings.HasSuffix(tail[:at], "\n\n")
	}
	if code, ok = between(last, "<exited with exit code ", ">"); ok { // Copilot CLI 1.0.0
		return code, true
	}
	if code, ok = between(last, finished, "]"); ok { // OpenHands' CmdOutputObservation
		return code, true
	}
	// Copilot CLI 1.0.102
	for _, start := range []string{"<shellId: ", "<detached command with shellId: "} {
		if shell, found := strings.CutPrefix(last, start); found {
			if i := strings.Index(shell, " completed with exit code "); i >= 0 {
				return between(shell[i:], " completed with exit code ", ">")
			}
		}
	}
	return 0, false
}

// codexExit reads the lines that Codex (0.169) puts before the output. They lack a code if the
// command is still running.
func codexExit(head string) (code int, ok, framed bool) {
	for _, start := range []string{"Chunk ID: ", "Exit code: ", "Wall time: ",
		"Script completed\nWall time ", "Script running with cell ID "} {
		framed = framed || strings.HasPrefix(head, start)
	}
	if !framed {
		return 0, false, false
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if line == "Output:" {
			break
		}
		for _, before := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok = between(line, before, ""); ok {
				return code, true, true
			}
		}
	}
	return 0, false, true
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

// between reads s as a number enclosed by two texts.
func between(s, before, after string) (n int, ok bool) {
	s, found := strings.CutPrefix(s, before)
	if !found {
		return 0, false
	}
	if s, found = strings.CutSuffix(s, after); !found {
		return 0, false
	}
	return number(s)
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil
}
