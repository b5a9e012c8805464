package results_test

import (
	"testing"

	"killick/transcript/partial"
)

// What Droid 0.215.0 writes around what a command printed, and how it reports that it failed.
func TestDroid(t *testing.T) {
	const (
		run   = `{"command":"make","summary":"Build the program","riskLevel":"low"}`
		cat   = `{"command":"cat a.log","summary":"Show the log","riskLevel":"low"}`
		edit  = `{"file_path":"/w/a.go","old_str":"a","new_str":"b"}`
		patch = `{"input":"*** Begin Patch\n*** Update File: a\n"}`
		saved = "\n\nFull command output saved to: /tmp/droid-terminal-1/2.log (274KB)"
		slow  = "Command timed out after 2 seconds. Consider increasing the timeout for " +
			"long-running commands."
		signal = "Error: Command terminated by signal: SIGKILL"
		pipe   = "Command terminated early due to SIGPIPE (exit code 141)"
		early  = "Error: Failed to start background process: x"
		denied = "\n\nSandbox: network access was denied to: a.example"
		git    = "\n\nGit authentication failed. The user may need to configure SSH keys or a " +
			"credential helper."
	)
	exit := func(code string) string { return "\n\n[Process exited with code " + code + "]" }
	failed := func(code string) string {
		return "Error: Command failed (exit code: " + code + ")\n"
	}
	for name, c := range map[string]struct {
		tool, arguments, result, output string
		status                          Status
		exit                            int
	}{
		"it succeeds": {"Execute", run, "a\nb\n" + exit("0"), "a\nb\n", OK, 0},
		"it fails":    {"Execute", run, failed("3") + "a\nb\n" + exit("3"), "a\nb\n", Failed, 3},
		"no such command": {"Execute", run, "Error: Command not found. The command or program " +
			"may not be installed or not in PATH.\nx: not found\n" + exit("127"), "x: not found\n",
			Failed, 127},
		"a file":        {"Execute", cat, "a\n" + exit("0"), "a\n", OK, 0},
		"nothing":       {"Execute", run, "Command completed successfully" + exit("0"), "", OK, 0},
		"long":          {"Execute", run, "a\n" + saved + exit("0"), "a\n", OK, 0},
		"no network":    {"Execute", run, failed("1") + "a" + denied + exit("1"), "a", Failed, 1},
		"no key":        {"Execute", run, failed("1") + "a" + git + exit("1"), "a", Failed, 1},
		"a closed pipe": {"Execute", run, pipe + exit("141"), pipe, Failed, 141},
		"too slow":      {"Execute", run, slow, "", Failed, -1},
		"too slow, with output": {"Execute", run, slow + "\n\nPartial output before timeout:\na\n" +
			exit("0"), "a\n" + exit("0"), Failed, -1},
		"by a signal": {"Execute", run, signal + "\na\n" + exit("0"), "a\n" + exit("0"), Failed,
			-1},
		"not started": {"Execute", run, early, early, Failed, -1},
		"a log of it": {"Execute", run, "a\n" + exit("1") + "\nb\n" + exit("0"),
			"a\n" + exit("1") + "\nb\n", OK, 0},
		"its line alone": {"Execute", run, "[Process exited with code 0]",
			"[Process exited with code 0]", Unknown, -1},
		"another agent": {"execute", bashArgs, "a\n" + exit("1"), "a\n" + exit("1"), Unknown, -1},
		"an edit": {"Edit", edit, "The file /w/a.go has been updated successfully.",
			"The file /w/a.go has been updated successfully.", Unknown, -1},
		"an edit that failed": {"Edit", edit, "Error: Error: The text to replace was not found",
			"Error: Error: The text to replace was not found", Failed, -1},
		"a patch of Letta Code": {"ApplyPatch", patch, "Failed to find expected lines in a:\nb",
			"Failed to find expected lines in a:\nb", Failed, -1},
		"a patch": {"ApplyPatch", patch, "Success. Applied changes to the following files:\nM a",
			"Success. Applied changes to the following files:\nM a", OK, -1},
	} {
		call := calling(t, c.tool, c.arguments, c.result)
		if call.Status != c.status || call.Exit != c.exit {
			t.Errorf("%s: status %d, exit code %d, want %d, %d", name, call.Status, call.Exit,
				c.status, c.exit)
		}
		if got := outputOf(t, c.tool, c.arguments, c.result); got != c.output {
			t.Errorf("%s: %q, want %q", name, got, c.output)
		}
	}
	const shown = "a\nb\n\n[... truncated 99 bytes from middle section ...]\n\nc\nd\n"
	want := partial.Output{Head: "a\n", Tail: "d\n", Cut: true}
	if got := partial.Of(shown); got != want {
		t.Errorf("kept %+v, want %+v", got, want)
	}
}

// Droid states which lines of a file it shows in the tags of a reminder.
func TestDroidsLines(t *testing.T) {
	tags := func(notice string) string {
		return "<system-reminder>[Showing lines " + notice + "]</system-reminder>"
	}
	for name, c := range map[string]struct {
		result, lines string
		from          int
		part          bool
	}{
		"a file":  {"a\nb\n", "a\nb\n", 1, false},
		"a part":  {"a\nb\n\n" + tags("8-9 of 99 total lines"), "a\nb\n", 8, true},
		"its end": {"a\nb\n\n\n" + tags("8-10 of 10 total lines"), "a\nb\n\n", 8, true},
		"long lines": {"a\nb\n\n" + tags("1-2 of 99 total lines, truncated to 60k characters"),
			"a\n", 1, true},
		"another reminder": {"a\n\n" + tags("b"), "a\n\n[Showing lines b]", 1, false},
	} {
		const read = `{"file_path":"/w/a.go"}`
		call := calling(t, "Read", read, c.result)
		lines, from, part := call.FileLines(outputOf(t, "Read", read, c.result), 1)
		if lines != c.lines || from != c.from || part != c.part {
			t.Errorf("%s: %q from %d, part %t; want %q from %d, %t", name, lines, from, part,
				c.lines, c.from, c.part)
		}
	}
}
