package transcript

import (
	"strings"
	"testing"
)

const (
	bashArgs  = `{"command":"make"}`
	codexArgs = `{"cmd":"make"}`
)

var long = strings.Repeat("line of output\n", 1000)

func TestStatuses(t *testing.T) {
	for _, tc := range []struct {
		name, tool, arguments, result string
		status                        Status
		exit                          int
	}{
		{"Claude Code", "Bash", bashArgs, "Exit code 2\nmake: error", Failed, 2},
		{"Claude Code, alone", "Bash", bashArgs, "Exit code 127", Failed, 127},
		{"Claude Code, no sign", "Bash", bashArgs, "ok", Unknown, -1},
		{"Claude Code, cancelled", "Bash", bashArgs,
			"<tool_use_error>Sibling tool call errored</tool_use_error>", Failed, -1},
		{"Codex", "exec_command", codexArgs,
			"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token " +
				"count: 9\nOutput:\nFAIL", OK, 0},
		{"Codex, failed", "exec_command", codexArgs,
			"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 101\nOutput:\nok",
			Failed, 101},
		{"Codex, long", "exec_command", codexArgs,
			"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n" + long,
			Failed, 1},
		{"Codex, runs", "exec_command", codexArgs,
			"Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID " +
				"7\nOutput:\nx\n\nCommand exited with code 3", Unknown, -1},
		{"Codex, session", "write_stdin", `{"session_id":7}`,
			"Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 1\nOutput:\n", Failed, 1},
		{"Codex, shell", "shell", bashArgs, "Exit code: 1\nWall time: 0 seconds\nOutput:\nx",
			Failed, 1},
		{"Codex, script", "exec", `text(1)`,
			"Script completed\nWall time 0.3 seconds\nOutput:\n\nExit code: 1", Unknown, -1},
		{"Codex, patch", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n"}`,
			"Success. Updated the following files:\nM a\n", OK, -1},
		{"Codex, bad patch", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n"}`,
			"apply_patch verification failed: no lines", Failed, -1},
		{"pi", "bash", bashArgs, "x\n\nCommand exited with code 1", Failed, 1},
		{"pi, alone", "bash", bashArgs, "Command exited with code 1", Failed, 1},
		{"pi, long", "bash", bashArgs, long + "\nCommand exited with code 1", Failed, 1},
		{"Copilot CLI 1.0.0", "bash", bashArgs, "x\n<exited with exit code 0>", OK, 0},
		{"Copilot CLI 1.0.102", "bash", bashArgs, "x\n<shellId: 3 completed with exit code 4>",
			Failed, 4},
		{"qwen-code", "run_shell_command", bashArgs,
			"Command: make\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: " +
				"(none)\nProcess Group PGID: 9", OK, 0},
		{"gemini-cli", "run_shell_command", bashArgs,
			"Output: x\nExit Code: 1\nProcess Group PGID: 9", Failed, 1},
		{"gemini-cli, long", "run_shell_command", bashArgs, "Output: " + long + "Exit Code: 1",
			Failed, 1},
		{"Cline 3", "run_commands", `{"commands":["make"]}`, "[Command exited with code 2]\nx",
			Failed, 2},
		{"Cline 2", "execute_command", bashArgs, "Command failed with exit code 2.\nOutput:\nx",
			Failed, 2},
		{"Cline 2, ok", "execute_command", bashArgs,
			"Command executed successfully (exit code 0).\nOutput:\nx", OK, 0},
		{"Continue", "Bash", bashArgs, "Error executing tool Bash: Error (exit code 3): x",
			Failed, 3},
		{"JSON", "bash", bashArgs, `{"output":"x","metadata":{"exit_code":1}}`, Failed, 1},
		{"JSON, ok", "bash", bashArgs, `{"stdout":"x","exitCode":0}`, OK, 0},
		{"JSON of a tool", "pay", `{"id":1}`, `{"success":true}`, OK, -1},
		{"JSON error", "pay", `{"id":1}`, `{"error":"no such id"}`, Failed, -1},
		{"JSON of MCP", "pay", `{"id":1}`, `{"content":[],"isError":true}`, Failed, -1},
		{"JSON, no sign", "pay", `{"id":1}`, `{"error":null,"id":3}`, Unknown, -1},
		{"JSON error with what was asked", "pay", `{"id":17}`,
			`{"id":17,"error":{"code":404},"message":"none","data":null}`, Failed, -1},
		{"JSON of something with an error", "get_incident", `{"id":5}`,
			`{"id":5,"error":"timeout","severity":"high"}`, Unknown, -1},
		{"JSON that contradicts itself", "lock", `{"id":1}`, `{"success":true,"error":"none"}`,
			Unknown, -1},
		{"JSON of a job", "get_job", `{"id":"lint"}`, `{"id":"lint","exit_code":1}`, Unknown, -1},
		{"text error", "pay", `{"id":1}`, "Error: payment does not add up", Failed, -1},

		// Results that print a frame.
		{"a frame amid the output", "bash", bashArgs,
			"Command exited with code 3\nthen ok\nExit code 4\nbye", Unknown, -1},
		{"a frame of another place", "bash", bashArgs, "x\nExit code 4", Unknown, -1},
		{"a frame without its empty line", "bash", bashArgs, "x\nCommand exited with code 3",
			Unknown, -1},
		{"a frame in a long line", "bash", bashArgs,
			strings.Repeat("x", 5000) + " Command exited with code 3", Unknown, -1},
		{"a frame that goes on", "bash", bashArgs, "Exit code 3 is expected\nok", Unknown, -1},
		{"a frame inside Codex's", "exec_command", codexArgs,
			"Wall time: 1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code " +
				"1\n\nCommand exited with code 1", OK, 0},
		{"members amid qwen-code's output", "run_shell_command", bashArgs,
			"Command: x\nOutput: a\nExit Code: 7\nb\nError: (none)\nExit Code: 0\nSignal: (none)",
			OK, 0},
		{"JSON that a program printed", "bash", bashArgs, `{"exit_code":1,"error":"x"}`,
			Unknown, -1},
		{"an error that a program printed", "bash", bashArgs, "Error: x", Unknown, -1},
		{"OpenHands", "execute_bash", bashArgs, "x\n[The command completed with exit code 2.]\n" +
			"[Current working directory: /w]\n[Python interpreter: /usr/bin/python]\n" +
			"[Command finished with exit code 2]", Failed, 2},
		{"Cline", "run_commands", `{"commands":["make"]}`,
			`[{"query":"make","result":"[Command exited with code 2]\n\n[stderr]\nno rule",` +
				`"error":"Command exited with code 2","success":false}]`, Failed, 2},
		{"Cline, several, one failed", "run_commands", `{"commands":["make","ls"]}`,
			`[{"query":"make","result":"[Command exited with code 2]\nx","success":false},` +
				`{"query":"ls","result":"a","success":true}]`, Failed, 2},
		{"Cline, well", "run_commands", `{"commands":["make"]}`,
			`[{"query":"make","result":"[Command exited with code 2]","success":true}]`, OK, -1},
		{"Cline, a file that is missing", "read_files", `{"files":[{"path":"/a.json"}]}`,
			`[{"query":"/a.json","result":"","error":"ENOENT","success":false}]`, Failed, -1},
		{"Cline, one of two files is", "read_files", `{"files":[{"path":"/a"},{"path":"/b"}]}`,
			`[{"query":"/a","result":"","error":"ENOENT","success":false},` +
				`{"query":"/b","result":"1 | b","success":true}]`, Unknown, -1},
		{"Cline, an edit", "editor", `{"path":"/a","old_text":"a","new_text":"b"}`,
			`{"query":"edit:/a","result":"","error":"text not found","success":false}`,
			Failed, -1},
		{"a list of other things", "search", `{"q":"x"}`,
			`[{"query":"x","result":"y","success":"false"}]`, Unknown, -1},
		{"half such a list", "search", `{"q":"x"}`,
			`[{"query":"x","result":"y","success":false`, Unknown, -1},
		{"a file that begins with an exit code", "read", `{"path":"log.txt"}`, "Exit code 1\nx",
			Unknown, -1},
		{"a file that ends with one", "read", `{"path":"log.txt"}`,
			"x\n\nCommand exited with code 1", Unknown, -1},
		{"a file of JSON", "read", `{"path":"a.json"}`, `{"error":"x","success":false}`,
			Unknown, -1},
		{"a file of errors", "read", `{"path":"log.txt"}`, "Error: a\nError: b", Unknown, -1},
		{"a file that is missing", "read", `{"path":"log.txt"}`, "Error: ENOENT", Failed, -1},
	} {
		c := calling(t, tc.tool, tc.arguments, tc.result)
		if c.Status != tc.status || c.Exit != tc.exit {
			t.Errorf("%s: status %d, exit %d, want %d, %d", tc.name, c.Status, c.Exit,
				tc.status, tc.exit)
		}
	}
}

func TestStatusMembers(t *testing.T) {
	for _, tc := range []struct {
		member, tool, arguments, result string
		status                          Status
	}{
		{`"is_error":true`, "Bash", bashArgs, "x", Failed},
		{`"is_error":true`, "Bash", bashArgs,
			"The user doesn't want to proceed with this tool use. The tool use was rejected",
			Refused},
		// opencode says so of commands that failed
		{`"is_error":false`, "Bash", bashArgs, "x", Unknown},
		{`"is_error":false`, "pay", `{"id":1}`, "x", OK},
		{`"isError":true`, "pay", `{"id":1}`, "x", Failed},
	} {
		if c := calling(t, tc.tool, tc.arguments, tc.result, tc.member); c.Status != tc.status {
			t.Errorf("%s, %s: status %d, want %d", tc.member, tc.tool, c.Status, tc.status)
		}
	}
	for _, r := range refusals {
		if c := calling(t, "bash", bashArgs, r+" More."); c.Status != Refused || !c.Failed() {
			t.Errorf("%q: status %d, want %d", r, c.Status, Refused)
		}
	}
}

// The frame that agents put around an output is not a part of it.
func TestFrames(t *testing.T) {
	for name, c := range map[string]struct{ result, output string }{
		"plain": {"a\nb", "a\nb"},
		"Cline": {`[{"query":"make","result":"a\nb\n","success":true}]`, "a\nb\n"},
		"Cline, several": {`[{"query":"a","result":"a","success":true},` +
			`{"query":"b","result":"[Command exited with code 2]\n\n[stderr]\nb",` +
			`"success":false}]`, "a\n\n[stderr]\nb\n"},
		"Cline, an error": {`{"query":"a","result":"","error":"no such file","success":false}`,
			"no such file\n"},
		"Cline, parts": {`[{"query":"a","result":[{"type":"text","text":"a"},{"type":"image"}],` +
			`"success":true}]`, "a\n"},
		"OpenHands": {"a\nb\n[The command completed with exit code 0.]\n" +
			"[Current working directory: /w]\n[Command finished with exit code 0]", "a\nb"},
		"OpenHands, nothing": {"[Current working directory: /w]\n" +
			"[Command finished with exit code 0]", ""},
		"SWE-agent": {"a\nb\n\n(Open file: n/a)\n(Current directory: /w)\nbash-$",
			"a\nb"},
		"a directory elsewhere": {"a\n(Current directory: /w)\nb", "a\n(Current directory: /w)\nb"},
		"a list":                {"a\n[b]", "a\n[b]"},
	} {
		if got := Output(c.result); got != c.output {
			t.Errorf("%s: %q, want %q", name, got, c.output)
		}
	}
}
