package compactor

import (
	"bytes"
	"strings"

	"killick/chat"
)

// failureHeads begin the outputs of tools that failed. Only the beginning
// counts: a source file that speaks of errors is no error.
var failureHeads = []string{
	"error", "<tool_use_error>", "traceback (most recent call last)", "fatal:", "panic:",
	"failed", "failure", "exit code 1", "exit code 2", "command failed", "command not found",
	"no such file", "permission denied", "usage error", "exception", "cannot ", "could not ", "unable to ",
}

// failureTails stand in the last lines of runs that failed.
var failureTails = []string{
	"\nfail\t", "\nfail\n", "exit status 1", "exit status 2", "exit code: 1", "exit code 1", "exited with code 1",
	"npm err!", "command not found", "no such file or directory", "syntaxerror:", "build failed", "tests failed",
	"compilation failed", "error: process completed",
}

// looksFailed tells whether a tool's output looks like an error: by its first
// line, by the last lines of a run, or by an error member of a JSON answer.
func looksFailed(m *chat.Message) bool {
	head, tail := ends(m)
	if head == "" {
		return false
	}
	if head[0] == '{' {
		return errorMember(chat.Value(strings.TrimSpace(m.Text())))
	}
	head = strings.ToLower(head[:min(len(head), 120)])
	for _, mark := range failureHeads {
		if strings.HasPrefix(head, mark) {
			return true
		}
	}
	tail = strings.ToLower("\n" + tail[max(0, len(tail)-300):] + "\n")
	for _, mark := range failureTails {
		if strings.Contains(tail, mark) {
			return true
		}
	}
	return false
}

// endBytes is how much of a long output is decoded for each of its ends.
const endBytes = 2000

// ends returns the beginning and the end of an output, without decoding what is
// between them.
func ends(m *chat.Message) (head, tail string) {
	body := m.Content().StringBody()
	if len(body) <= 2*endBytes {
		text := strings.TrimSpace(m.Text())
		return text, text
	}
	first, _ := chat.CutEscaped(body[:endBytes+12], endBytes)
	last := body[len(body)-endBytes:]
	// Behind a space no escape is under way.
	if i := bytes.IndexByte(last, ' '); i >= 0 {
		last = last[i:]
	} else {
		last = nil
	}
	return strings.TrimSpace(unescaped(first)), strings.TrimSpace(unescaped(last))
}

func unescaped(body []byte) string { return chat.Value(`"` + string(body) + `"`).Text() }

func errorMember(object chat.Value) bool {
	switch v := object.Get("error"); v.Kind() {
	case chat.String:
		return len(v) > 2
	case chat.Object, chat.Array, chat.Number:
		return true
	case chat.Bool:
		return string(v) == "true"
	}
	return false
}

// errorLine returns the line of a failed output that says most, shortened: the
// first that speaks of an error, else the first.
func errorLine(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" {
			first = line
		}
		low := strings.ToLower(line)
		if strings.Contains(low, "error") || strings.Contains(low, "fail") || strings.Contains(low, "panic") ||
			strings.Contains(low, "not found") || strings.Contains(low, "no such") || strings.Contains(low, "denied") {
			return line
		}
	}
	return first
}
