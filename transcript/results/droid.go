package results

import (
	"strings"

	"killick/transcript/partial"
)

// Forms of Factory's Droid (0.215.0).

// What Droid writes around an output.
const (
	droidExited    = "[Process exited with code "
	droidExitStart = "\n\n" + droidExited
	droidTimeout   = "Command timed out after "
	droidPartial   = "\n\nPartial output before timeout:\n"
	droidSaved     = "\n\nFull command output saved to: "
	droidSilent    = "Command completed successfully"
	droidSandbox   = "\n\nSandbox: network access was denied to: "

	// before the report of any call that failed, and before the line about a signal
	droidError  = "Error: "
	droidSignal = "Error: Command terminated by signal: "
)

// droidFailures begin the first line of the result of a command that failed. What it printed
// follows.
var droidFailures = []string{"Error: Command failed (exit code: ",
	"Error: Command not found. The command or program may not be installed",
	"Error: Command not executable. Check file permissions."}

// droidHints begin the paragraph that may follow what such a command printed.
var droidHints = []string{"\n\nGit authentication failed. The user may need to configure SSH keys ",
	"\n\nThis command requires an interactive terminal (TTY) which is not available in Droid."}

// droidExit reads the exit code at the end of a result that begins with head.
func droidExit(head, tail string) (code int, ok bool) {
	at := partial.LastIndex(tail, "\n\n", droidExited)
	if at < 0 || strings.HasPrefix(head, droidTimeout) || strings.HasPrefix(head, droidSignal) {
		return 0, false
	}
	return between(tail[at:], droidExitStart, "]")
}

// droidOutput returns what a command printed.
func droidOutput(result string) (output string, ok bool) {
	output = strings.TrimRight(result, " \n")
	switch code, exited := droidExit(output, output); {
	case exited:
		output = output[:strings.LastIndex(output, droidExitStart)]
		if code == 0 && output == droidSilent {
			return "", true
		}
	case strings.HasPrefix(output, droidTimeout):
		_, output, _ = strings.Cut(output, droidPartial)
		output = beforeNotice(output, droidSaved)
		return output, true
	case !strings.HasPrefix(output, droidSignal):
		return "", false
	}
	output = beforeNotice(beforeNotice(output, droidSaved), droidSandbox)
	failed := strings.HasPrefix(output, droidSignal)
	for _, start := range droidFailures {
		failed = failed || strings.HasPrefix(output, start)
	}
	if failed {
		_, output, _ = strings.Cut(output, "\n")
		for i := len(droidHints) - 1; i >= 0; i-- {
			output = beforeNotice(output, droidHints[i])
		}
	}
	return output, true
}

// beforeNotice returns a text without the notice at its end, a paragraph of one line.
func beforeNotice(text, start string) string {
	at := strings.LastIndex(text, start)
	if at < 0 || strings.Contains(text[at+len("\n\n"):], "\n") {
		return text
	}
	return text[:at]
}

// What Droid's tool for files puts after a part of a file: "[Showing lines 100-119 of 301 total
// lines]", in the tags of a reminder, after an empty line.
const droidShown, droidShownEnd = "\n\n<system-reminder>[Showing lines ", "]</system-reminder>"

// withoutDroidTags returns what that tool answers without the tags around this notice.
func withoutDroidTags(result string) (text string, ok bool) {
	at := strings.LastIndex(result, droidShown)
	if at < 0 || !strings.HasSuffix(result, droidShownEnd) {
		return result, false
	}
	notice := strings.TrimPrefix(result[at:], "\n\n<system-reminder>")
	return result[:at] + "\n\n" + strings.TrimSuffix(notice, "</system-reminder>"), true
}
