package compactor

import (
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
	text := strings.TrimSpace(m.Text())
	if text == "" {
		return false
	}
	if text[0] == '{' {
		return errorMember(chat.Value(text))
	}
	head := strings.ToLower(text[:min(len(text), 120)])
	for _, mark := range failureHeads {
		if strings.HasPrefix(head, mark) {
			return true
		}
	}
	tail := strings.ToLower("\n" + text[max(0, len(text)-300):] + "\n")
	for _, mark := range failureTails {
		if strings.Contains(tail, mark) {
			return true
		}
	}
	return false
}

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
