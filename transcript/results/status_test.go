package results_test

import (
	"strings"
	"testing"
)

const (
	bashArgs  = `{"command":"make"}`
	codexArgs = `{"cmd":"make"}`
	kitError  = `{"error":{"name":"Error","message":"FAIL","stack":"at a","__serialized":true}}`
	deepEdit  = `{"file_path":"/a","old_string":"b","new_string":"c"}`
)

var long = strings.Repeat("line of output\n", 1000)

const taskStart = "<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n" +
	"<task_type>local_bash</task_type>\n\n<status>"

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
		{"Kimi Code", "Bash", bashArgs, "Wall time: 0.175 seconds\n" + kimiError +
			"\nFAIL a\nCommand failed with exit code: 2.", Failed, 2},
		{"Kimi Code, long", "Bash", bashArgs, "Wall time: 0.175 seconds\n" + kimiError + "\n" +
			long + "Command failed with exit code: 2.", Failed, 2},
		{"Kimi Code, too long", "Bash", bashArgs, "Wall time: 60.1 seconds\n" + kimiError +
			"\nCommand killed by timeout (60s)", Failed, -1},
		{"Kimi Code, an edit", "Edit", deepEdit, kimiError + "\nold_string not found", Failed, -1},
		{"Kimi Code, nothing found", "Glob", `{"pattern":"*"}`, "Wall time: 0.175 seconds\n" +
			kimiEmptyError, Failed, -1},
		{"Playwright", "mcp__playwright__browser_click", `{"ref":"e3"}`,
			"### Error\nError: locator.click: Timeout 5000ms exceeded.\n### Page\n", Failed, -1},
		{"Playwright, before", "playwright_browser_click", `{"ref":"e3"}`,
			"### Result\nError: locator.click: Timeout 5000ms exceeded.", Failed, -1},
		{"Playwright, a value", "browser_evaluate", `{"function":"() => a"}`,
			"### Result\n\"Error: none\"", Unknown, -1},
		{"another page", "fetch", `{"url":"https://a.example"}`, "### Error\nx", Unknown, -1},
		{"Strands Agents", "edit_file", deepEdit, "[ERROR] Error: no such file", Failed, -1},
		{"LangChain", "run_command", bashArgs, "Error: FAIL a" + thrownEnd, Failed, -1},
		{"LangChain, long", "run_command", bashArgs, "Error: " + long + thrownEnd, Failed, -1},
		{"LangChain, an edit", "edit_file", deepEdit, "TypeError: no text" + thrownEnd, Failed, -1},
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
		{"Claude Code, task", "TaskOutput", `{"task_id":"b7"}`,
			taskStart + "completed</status>\n\n<exit_code>2</exit_code>\n\n" +
				"<output>\nFAIL\n</output>", Failed, 2},
		{"Claude Code, task that runs", "TaskOutput", `{"task_id":"b7"}`,
			taskStart + "running</status>", Unknown, -1},
		{"Codex, no session", "write_stdin", `{"session_id":7}`,
			"write_stdin failed: no such session", Failed, -1},
		{"pi", "bash", bashArgs, "x\n\nCommand exited with code 1", Failed, 1},
		{"pi, alone", "bash", bashArgs, "Command exited with code 1", Failed, 1},
		{"pi, long", "bash", bashArgs, long + "\nCommand exited with code 1", Failed, 1},
		{"Copilot CLI 1.0.0", "bash", bashArgs, "x\n<exited with exit code 0>", OK, 0},
		{"Copilot CLI 1.0.102", "bash", bashArgs, "x\n<shellId: 3 completed with exit code 4>",
			Failed, 4},
		{"deepagents, not edited", "edit_file", deepEdit,
			"Error editing file '/a': EACCES", Failed, -1},
		{"deepagents, not found", "edit_file", deepEdit,
			"String not found in file '/a'", Failed, -1},
		{"deepagents, edited", "edit_file", deepEdit,
			"Successfully replaced 1 occurrence(s) in '/a'", Unknown, -1},
		{"Mastra, not found", "mastra_workspace_edit_file", deepEdit, "The specified text was " +
			"not found. Make sure you use the exact text from the file.", Failed, -1},
		{"Mastra, not unique", "mastra_workspace_edit_file", deepEdit, "The specified text " +
			"appears 3 times. Provide more surrounding context to make the match unique, or use " +
			"replace_all to replace all occurrences.", Failed, -1},
		{"TanStack AI, not edited", "edit_file", deepEdit, `{"error":"not in the file"}`, Failed,
			-1},
		{"an error among others", "edit_file", deepEdit, `{"error":"late","job":3}`, Unknown, -1},
		{"an error that was asked for", "get_job", `{"id":1}`, `{"error":"late"}`, Unknown, -1},
		{"Mastra, edited", "mastra_workspace_edit_file", deepEdit,
			"Replaced 1 occurrence in a (lines 3)", Unknown, -1},
		{"Agents SDK, a tool failed", "write_file", `{"path":"/a","content":"b"}`,
			"An error occurred while running the tool. Please try again.", Failed, -1},
		{"qwen-code", "run_shell_command", bashArgs,
			"Command: make\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: " +
				"(none)\nProcess Group PGID: 9", OK, 0},
		{"gemini-cli", "run_shell_command", bashArgs,
			"Output: x\nExit Code: 1\nProcess Group PGID: 9", Failed, 1},
		{"gemini-cli, wrapped", "run_shell_command", bashArgs,
			"<untrusted_context>\nOutput: FAIL\nExit Code: 1\nProcess Group PGID: 7\n" +
				"</untrusted_context>", Failed, 1},
		{"another tool, wrapped", "bash", bashArgs,
			"<untrusted_context>\nOutput: FAIL\nExit Code: 1\n</untrusted_context>", Unknown, -1},
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
		{"Codex, JSON", "shell", bashArgs,
			`{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}`, Failed, 1},
		{"OpenClaw", "exec", bashArgs,
			"{\n  \"status\": \"error\",\n  \"tool\": \"exec\",\n  \"error\": \"\"\n}", Failed, -1},
		{"Node", "run_command", bashArgs, "Command failed: make\nFAIL a", Failed, -1},
		{"Node, silent", "run_command", bashArgs, "Error: Command failed: make", Failed, -1},
		{"grok-cli", "bash", bashArgs, "Command failed: Command failed: make\n" + long, Failed, -1},
		{"Node, another command", "bash", bashArgs, "Command failed: makes\nx", Unknown, -1},
		{"Node, a program's line", "bash", bashArgs, "x\nCommand failed: make\n", Unknown, -1},
		{"Node, a log", "bash", `{"command":"cat a"}`, "Command failed: cat a\n", Unknown, -1},
		{"AgentKit", "run_command", bashArgs, kitError, Failed, -1},
		{"AgentKit, an edit", "edit_file", deepEdit, kitError, Failed, -1},
		{"AgentKit, a log", "run_command", `{"command":"cat a"}`, kitError, Unknown, -1},
		{"AgentKit, data", "run_command", bashArgs, `{"error":{"name":"a","message":"b"}}`,
			Unknown, -1},
		{"VoltAgent", "run_command", bashArgs, `{"error":true,"name":"Error","message":"FAIL",` +
			`"stack":"Error: FAIL","toolCallId":"c1","toolName":"run_command","code":"E"}`,
			Failed, -1},
		{"VoltAgent, of another tool", "run_command", bashArgs, `{"error":true,"message":"FAIL",` +
			`"toolCallId":"c1","toolName":"book"}`, Unknown, -1},
		{"VoltAgent, a log", "run_command", `{"command":"cat a.log"}`, `{"error":true,` +
			`"message":"FAIL","toolCallId":"c1","toolName":"run_command"}`, Unknown, -1},
		{"OpenClaw, edit", "edit", `{"path":"a","edits":[{"oldText":"b","newText":"c"}]}`,
			`{"status":"error","tool":"edit","error":"Could not find it"}`, Failed, -1},
		{"a report of another tool", "exec", bashArgs,
			`{"status":"error","tool":"edit","error":"Could not find it"}`, Unknown, -1},
		{"a report with more in it", "pay", `{"id":1}`,
			`{"status":"error","tool":"pay","error":"x","job":3}`, Unknown, -1},
		{"a file that is such a report", "read", `{"path":"a.json"}`,
			`{"status":"error","tool":"read","error":"x"}`, Unknown, -1},
		{"JSON of MCP", "pay", `{"id":1}`, `{"content":[],"isError":true}`, Failed, -1},

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
		{"OpenHands, not run", "execute_bash", bashArgs, "y\n[Your command \"make\" is NOT " +
			"executed. The previous command is still running - You CANNOT send.]", Failed, -1},
		{"OpenHands, goes on", "execute_bash", bashArgs, "y\n[The command timed out after 9 " +
			"seconds. You may wait longer.]", Unknown, -1},
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
	} {
		c := calling(t, tc.tool, tc.arguments, tc.result)
		if c.Status != tc.status || c.Exit != tc.exit {
			t.Errorf("%s: status %d, exit %d, want %d, %d", tc.name, c.Status, c.Exit,
				tc.status, tc.exit)
		}
	}
}

// Results that may be data state no status, and nothing is derived from what the calls would have
// done, where they may also be the report of a failure.
func TestDataIsNoStatus(t *testing.T) {
	const log = `{"command":"cat ci.log"}`
	for _, tc := range []struct {
		name, tool, arguments, result string
		doubtful                      bool
	}{
		// Logs.
		{"a log", "Bash", log, "Exit code 3\nran 4 tests", true},
		{"a log alone", "Bash", log, "Exit code 3", true},
		{"a log of pi", "bash", log, "x\n\nCommand exited with code 1", true},
		{"a log of Copilot CLI", "bash", log, "x\n<exited with exit code 1>", true},
		{"a log of Cline", "run_commands", log, "[Command exited with code 1]\nx", true},
		{"a log of Continue", "Bash", log, "Error (exit code 3): x", true},
		{"a log of an error", "Bash", log, "<tool_use_error>x</tool_use_error>", true},
		{"a log of Kimi Code's error", "Bash", log, kimiError + "\nx\nCommand failed with exit " +
			"code: 1.", true},
		{"a log of LangChain's error", "bash", log, "Error: x" + thrownEnd, true},
		{"advice behind an output", "bash", bashArgs, "3 tests failed" + thrownEnd, false},
		{"the end of a sentence", "bash", bashArgs, "Error: x. Please fix your mistakes.", false},
		{"a time of the program itself", "bash", bashArgs, "Wall time: 3 seconds\nCommand failed " +
			"with exit code: 1.", false},
		{"a fixture of Kimi Code's error", "read", `{"path":"a"}`, kimiError + "\nx", true},
		{"a log of a timeout", "bash", log, "Command timed out after 30 seconds", true},
		{"tests of timeouts", "bash", bashArgs, "ok\nCommand timed out after 30 seconds", false},
		{"another agent's frame", "bash", bashArgs,
			"Chunk ID: 1\nProcess exited with code 1\nOutput:\n", true},
		{"another agent's frame at the end", "bash", bashArgs,
			"x\n[Command finished with exit code 1]", true},
		{"a command of a robot", "robot", `{"command":"status"}`, "Exit code 1", true},
		{"a job's log", "get_log", `{"id":1}`, "Exit code: 1\nWall time: 2 seconds\nOutput:\nx",
			true},
		{"the first error in a log", "get_log", `{"id":1}`, "Error: disk full\nretry\nok", true},
		{"a log of scripts", "Bash", log, "Script failed\nWall time 1 seconds\nOutput:\nx", true},
		{"hits", "grep", `{"pattern":"error"}`, "ERROR: no such table", true},

		// Files.
		{"a file of JSON", "read", `{"path":"a.json"}`, `{"error":"x","success":false}`, true},
		{"a fixture without a suffix", "read", `{"path":"fixtures/answer"}`,
			`{"status":"error","error":"no such id"}`, true},
		{"a file of errors", "read", `{"path":"log.txt"}`, "Error: a\nError: b", false},
		{"a file of one error", "read", `{"path":"log.txt"}`, "Error: ENOENT", true},
		{"a fixture of an error", "read", `{"path":"a.xml"}`, "<error>x</error>", true},
		{"a fixture of Claude Code's error", "read", `{"path":"a"}`,
			"<tool_use_error>x</tool_use_error>", true},
		{"a list of refusals", "read", `{"path":"README.md"}`,
			"Permission denied by user\nis what the client prints.", true},
		{"OpenHands' command that goes on", "execute_bash", `{"command":"rm -r build"}`,
			"x\n[The command has no new output after 10.0 seconds. You may wait longer.]", true},
		{"refusals on a terminal", "bash", bashArgs, "Permission denied by user bob\nok", true},

		// JSON.
		{"JSON of a command", "bash", bashArgs, `{"stdout":"x","exitCode":1}`, true},
		{"JSON of a command that went well", "bash", bashArgs, `{"stdout":"x","exitCode":0}`,
			false},
		{"JSON like Codex's, with more", "shell", bashArgs,
			`{"output":"x","job":7,"metadata":{"exit_code":1}}`, true},
		{"a saved result", "shell", log, `{"output":"x","metadata":{"exit_code":1}}`, true},
		{"a job with its output", "get_job", `{"id":4}`, `{"id":4,"output":"x","exit_code":1}`,
			true},
		{"a health check", "health", `{"of":"db"}`, `{"ok":false}`, true},
		{"a payment", "get_payment", `{"id":1}`, `{"success":false}`, true},
		{"a payment that went well", "get_payment", `{"id":1}`, `{"success":true}`, false},
		{"the last error", "last_error", `{}`, `{"code":17,"error":"disk full"}`, true},
		{"something with an error", "get_incident", `{"id":5}`,
			`{"id":5,"error":"timeout","severity":"high"}`, true},
		{"no error", "pay", `{"id":1}`, `{"error":null,"id":3}`, false},
		{"a page that was wanted", "fetch", `{"url":"u"}`, "HTTP/1.1 404 Not Found\n\nnone", false},
		{"a report of a tool of MCP", "get_report", `{"id":5}`,
			`{"id":5,"isError":true,"content":[]}`, true},
		{"a search engine's answer", "search", `{"q":"x"}`,
			`[{"query":"x","result":"y","success":false}]`, false},
		{"rows", "sql", `{"query":"select"}`, "Error: | 17", true},
		{"Fehler", "hole", `{"nr":5}`, "Fehler: Platte voll", false},
		{"エラー", "取得", `{"id":5}`, "エラー: 見つかりません", false},
	} {
		c := calling(t, tc.tool, tc.arguments, tc.result)
		if c.Status != Unknown || c.Exit != -1 {
			t.Errorf("%s: status %d, exit %d, want none", tc.name, c.Status, c.Exit)
		}
		if c.MayHaveFailed() != tc.doubtful {
			t.Errorf("%s: may have failed: %t", tc.name, c.MayHaveFailed())
		}
	}
	// What a call that may have failed would have done is not stated.
	c := calling(t, "Bash", `{"command":"rm a"}`, "Error (exit code 3): x", `"is_error":false`)
	if changes := c.Changes(); !c.MayHaveFailed() || len(changes) != 1 || changes[0].Sure {
		t.Errorf("%+v", changes)
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
		{`"is_error":false`, "Bash", bashArgs, "Exit code 3\nx", Unknown},
		{`"is_error":true`, "Bash", `{"command":"cat x"}`, "Exit code 1\ncat: x", Failed},
		{`"is_error":false`, "pay", `{"id":1}`, "<tool_use_error>x</tool_use_error>", Unknown},
		{`"isError":true`, "pay", `{"id":1}`, "x", Failed},
	} {
		if c := calling(t, tc.tool, tc.arguments, tc.result, tc.member); c.Status != tc.status {
			t.Errorf("%s, %s: status %d, want %d", tc.member, tc.tool, c.Status, tc.status)
		}
	}
	if c := calling(t, "bash", bashArgs, notAllowed+" More."); c.Status != Refused || !c.Failed() {
		t.Errorf("a refusal: status %d, want %d", c.Status, Refused)
	}
}
