package results_test

import (
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/transcript"
)

// outputOf returns what a call printed.
func outputOf(t *testing.T, tool, arguments, result string) string {
	t.Helper()
	read := transcript.ReadAll(chattest.Called(t, tool, arguments, result))
	c := &read.Calls[0]
	return read.Output(c, read.Text(c.Result))
}

// The frame that agents put around an output is not a part of it.
func TestFrames(t *testing.T) {
	const several = `[{"query":"a","result":"a","success":true},` +
		`{"query":"b","result":"[Command exited with code 2]\n\n[stderr]\nb","success":false}]`
	for name, c := range map[string]struct{ tool, result, output string }{
		"plain": {"bash", "a\nb", "a\nb"},
		"Cline": {"run_commands", `[{"query":"make","result":"a\nb\n","success":true}]`,
			"a\nb\n"},
		"Cline, several": {"run_commands", several, "a\n\n[stderr]\nb\n"},
		"Cline, the first failed": {"run_commands", `[{"query":"b","result":` +
			`"[Command exited with code 2]\nb","success":false},` +
			`{"query":"a","result":"a","success":true}]`, "a\nb\n"},
		"Cline, an error": {"apply_patch",
			`{"query":"a","result":"","error":"no such file","success":false}`, "no such file\n"},
		"Cline, parts": {"read_files", `[{"query":"a","result":[{"type":"text","text":"a"},` +
			`{"type":"image"}],"success":true}]`, "a\n"},
		"OpenHands": {"execute_bash", "a\nb\n[The command completed with exit code 0.]\n" +
			"[Current working directory: /w]\n[Command finished with exit code 0]", "a\nb"},
		"OpenHands, goes on": {"execute_bash", "a\nb\n[The command has no new output after 10.0 " +
			"seconds. You may wait longer to see additional output.]", "a\nb"},
		"OpenHands, not run": {"execute_bash", "a\n[Your command \"ls\nrm x\" is NOT executed. " +
			"The previous command is still running - You CANNOT send new commands.]", "a"},
		"OpenHands, nothing": {"run", "[Current working directory: /w]\n" +
			"[Command finished with exit code 0]", ""},
		"SWE-agent": {"bash", "a\nb\n\n(Open file: n/a)\n(Current directory: /w)\nbash-$",
			"a\nb"},
		"Codex": {"exec_command", "Chunk ID: 0a1b2c\nWall time: 0.0521 seconds\n" +
			"Process exited with code 0\nOriginal token count: 2\nOutput:\na\nOutput:\nb",
			"a\nOutput:\nb"},
		"Codex, nothing":            {"shell", "Exit code: 0\nWall time: 0 seconds\nOutput:\n", ""},
		"Codex, another tool":       {"_fetch_pr", "Wall time: 2.5 seconds\nOutput:\n{}", "{}"},
		"Claude Code":               {"Bash", "Exit code 2\na", "a"},
		"Claude Code, and a folder": {"Bash", "Exit code 2\na\nShell cwd was reset to /w", "a"},
		"Claude Code, a folder":     {"Bash", "Shell cwd was reset to /w", ""},
		"Claude Code, in an output": {"Bash", "Shell cwd was reset to /w\na",
			"Shell cwd was reset to /w\na"},
		"qwen-code": {"run_shell_command", "Command: make\nDirectory: (root)\nOutput: a\nb\n" +
			"Error: (none)\nExit Code: 0\nSignal: (none)", "a\nb"},
		"opencode": {"bash", "a\n\n<shell_metadata>\nshell tool terminated command\n" +
			"</shell_metadata>", "a"},
	} {
		if got := outputOf(t, c.tool, bashArgs, c.result); got != c.output {
			t.Errorf("%s: %q, want %q", name, got, c.output)
		}
	}
}

// The same lines of another tool, or of a command that shows a file, are output.
func TestLinesLikeFrames(t *testing.T) {
	const cat = `{"command":"cat build.log"}`
	for result, tools := range map[string]string{
		`[{"query":"a","result":"b","success":true}]`:       "bash Read search",
		"Output: a\nExit Code: 0":                           "bash Read",
		"a\n<shell_metadata>\nb\n</shell_metadata>":         "run_shell_command Read",
		"a\n[Command finished with exit code 0]":            "bash Read",
		"Exit code 2\na":                                    "run_shell_command Read",
		"a\n\nCommand exited with code 1":                   "exec_command Read",
		"Wall time: 3 seconds\nsteps: 4\nOutput:\na":        "exec_command bash Read",
		"Exit code: the last one\nis kept\nOutput:\na":      "exec_command bash",
		"a\n(Current directory: /w)\nb":                     "bash",
		"a\n[b]":                                            "bash execute_bash",
		"a\n[The command timed out after 9 seconds. b]":     "bash",
		"[Command exited with code 3]\na":                   "bash",
		"Command failed with exit code 3.\na":               "run_commands",
		"Output:\na":                                        "exec_command",
		"Wall time: 1 second\n" + strings.Repeat("x", 5000): "shell",
	} {
		for tool := range strings.FieldsSeq(tools) {
			if got := outputOf(t, tool, bashArgs, result); got != result {
				t.Errorf("%s: %q, want %q", tool, got, result)
			}
		}
	}
	for _, result := range []string{"Exit code 2\na", "a\n\nCommand exited with code 1"} {
		if got := outputOf(t, "bash", cat, result); got != result {
			t.Errorf("a file: %q, want %q", got, result)
		}
	}
}
