package results

import (
	"slices"
	"strings"
)

// What Gemini CLI (0.61.0) puts around the outputs of commands, of MCP servers and of web pages. It
// escapes the end in the output.
const untrusted, untrustedEnd = "<untrusted_context>\n", "\n</untrusted_context>"

// hints begin the paragraphs that qwen-code (0.24.4) appends after the members.
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

// members are the members that qwen-code and gemini-cli list after the output, from the last to the
// first. A list without the command (gemini-cli 0.61.0) has no error unless nothing was run: a line
// that begins so is a program's.
var members = []string{"Process Group PGID", "Background PIDs", "Signal", "Exit Code", "Error"}
