package results_test

import (
	"strconv"
	"strings"
	"testing"

	"killick/transcript/partial"
)

const grokArgs = `{"command":"make","description":"Build it."}`

// What Grok Build 1.0.41 puts around what a command printed.
func TestGrokBuild(t *testing.T) {
	const (
		shown = "a\nb\n\n... (output truncated) ...\n\nc\nd\n"
		cut   = "exit: 3 [truncated: showing first/last 19.6 KB of 75.9 KB - full output at: " +
			"/h/1.log]\n" + shown
		runsOn = "<task-id>call_4</task-id>\n<status>running</status>\nUse get_command_or_" +
			"subagent_output with task_ids=[\"call_4\"] when you need the output."
		hits  = "Found 1 matching lines\n/w/a.go\n4:\tb"
		found = "<workspace_result workspace_path=\"/w\">\n" + hits + "\n</workspace_result>"

		absent = "The string to replace was not found in the file, use the read_file tool."
		twice  = "The string to replace was found multiple times in the file. Use replace_all."

		run    = "run_terminal_command"
		edit   = `{"file_path":"/w/a.go","old_string":"a","new_string":"b"}`
		cat    = `{"command":"cat a.log","description":"a"}`
		search = `{"pattern":"b","path":"."}`
	)
	for name, c := range map[string]struct {
		tool, arguments, result, output string
		status                          Status
		exit                            int
	}{
		"it succeeds":   {run, grokArgs, "exit: 0\na\nb\n", "a\nb\n", OK, 0},
		"it fails":      {run, grokArgs, "exit: 3\na\n", "a\n", Failed, 3},
		"a file":        {run, cat, "exit: 0\na\n", "a\n", OK, 0},
		"nothing":       {run, grokArgs, "exit: 0\n", "", OK, 0},
		"too long":      {run, grokArgs, cut, shown, Failed, 3},
		"killed":        {run, grokArgs, "exit: killed (signal 9)\na", "a", Failed, -1},
		"it runs":       {run, grokArgs, runsOn, "", Unknown, -1},
		"no code":       {run, grokArgs, "exit: soon\na", "exit: soon\na", Unknown, -1},
		"no notice":     {run, grokArgs, "exit: 3 of 4\na", "exit: 3 of 4\na", Unknown, -1},
		"another agent": {run, `{"command":"make"}`, "exit: 3\na", "exit: 3\na", Unknown, -1},
		"another tool":  {"bash", grokArgs, "exit: 3\na", "exit: 3\na", Unknown, -1},
		"a search":      {"grep", search, found, hits, Unknown, -1},
		"no such text":  {"search_replace", edit, absent, absent, Failed, -1},
		"two of them":   {"search_replace", edit, twice, twice, Failed, -1},
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
	want := partial.Output{Head: "a\n", Tail: "d\n", Cut: true}
	if got := partial.Of(shown); got != want {
		t.Errorf("kept %+v, want %+v", got, want)
	}
}

// Grok Build numbers the first line that it shows, and each tenth of the file.
func TestGrokBuildsLines(t *testing.T) {
	long := "1→a\n"
	for i := 2; i <= 1000; i++ {
		if i%10 == 0 {
			long += strconv.Itoa(i) + "→"
		}
		long += "b\n"
	}
	for name, c := range map[string]struct {
		output, lines string
		from          int
		part          bool
	}{
		"a file":     {"1→a\nb\n\nc\n\n\n\n\n\n10→", "a\nb\n\nc\n\n\n\n\n\n", 1, false},
		"a part":     {"8→a\nb\n10→c\nd", "a\nb\nc\nd", 8, false},
		"at a tenth": {"20→a\nb", "a\nb", 20, false},
		"cut":        {long, "a\n" + strings.Repeat("b\n", 999), 1, true},

		"without numbers": {"a\nb", "a\nb", 7, false},
		"no tenth":        {"8→a\nb\nc", "8→a\nb\nc", 7, false},
		"a number between": {"1→a\n2→b\nc", "1→a\n2→b\nc", 7,
			false},
		"another number": {"8→a\nb\n20→c", "8→a\nb\n20→c", 7, false},
	} {
		call := calling(t, "read_file", `{"target_file":"b.go"}`, "x")
		lines, from, part := call.FileLines(c.output, 7)
		if lines != c.lines || from != c.from || part != c.part {
			t.Errorf("%s: %.99q from %d, part %t; want %.99q from %d, %t", name, lines, from, part,
				c.lines, c.from, c.part)
		}
	}
	other := calling(t, "read_file", `{"path":"b.go"}`, "x")
	if lines, from, _ := other.FileLines("1→a\nb", 7); lines != "1→a\nb" || from != 7 {
		t.Errorf("of another agent: %q from %d", lines, from)
	}
}
