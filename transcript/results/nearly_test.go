package results_test

import (
	"strings"
	"testing"

	"killick/transcript/results"
)

// What only resembles the form of an agent is output: it says nothing of how the call ended, and
// nothing of it is left out.
func TestNearlyForms(t *testing.T) {
	const (
		cat   = `{"command":"cat build.log"}`
		read  = `{"path":"a.go"}`
		thing = `{"id":7}`
	)
	for _, c := range []struct {
		tool, arguments string
		results         []string
	}{
		{"exec_command", codexArgs, []string{"a\nShell cwd was reset to /w"}},
		{"Bash", cat, []string{"a\nShell cwd was reset to /w",
			"{\"status\":\"error\",\"tool\":\"Bash\",\"error\":\"a\"}"}},
		{"bash", cat, []string{"a\n[Command succeeded with exit code 0]"}},
		{"bash", bashArgs, []string{"<shellId: 3 is idle>", "make\nok", "make",
			`{"stdout":5,"stderr":"","exitCode":2}`, "a\n\nCommand aborted!",
			"a\n\nCommand timed out after seconds", "a\n\nIt took 9 seconds", "a</shell_metadata>",
			`{"output":"a","metadata":{"exit_code":1}}`,
			`{"error":{"name":"Error","message":5,"__serialized":true}}`,
			`{"error":{"name":5,"message":"a","__serialized":true}}`,
			`{"error":{"name":"Error","message":"a","__serialized":true},"job":7}`,
			`{"error":true,"toolName":"bash","toolCallId":"c1","message":5}`,
			`{"error":true,"toolName":"bash","toolCallId":5,"message":"a"}`,
			`{"error":false,"toolName":"bash","toolCallId":"c1","message":"a"}`,
			"Wall time: 0.175\na", "0.175 seconds\na", "Wall time: x.175 seconds\na"}},
		{"Bash", bashArgs, []string{"Error (exit code 3) a", "Error (exit code x): a",
			"<tool_use_error>a", "a</tool_use_error>", "a " + thrownEnd, "Type: a" + thrownEnd,
			"a TypeError: b" + thrownEnd, `ToolError: Tool "Bash" has occurred an error!`,
			"Wall time: 0.1 s\n" + kimiError + "\na\nCommand failed with exit code: 3.",
			"Time: 0.1 seconds\n" + kimiError + "\na\nCommand failed with exit code: 3."}},
		{"exec", bashArgs, []string{`{"status":"done","tool":"exec","error":"a"}`,
			`{"status":"error","tool":"exec","error":{}}`,
			`{"status":"error","tool":"bash","error":"a"}`,
			"a\nCommand aborted by signal SIGTERM",
			"a\n\nCommand aborted before exit code was captured\n\nb"}},
		{"shell", bashArgs, []string{`{"output":5,"metadata":{"exit_code":1}}`,
			`{"output":"a","metadata":1}`, `{"output":"a","metadata":{"exit_code":1},"x":1}`,
			`{"output":"a","metadata":{"exit_code":"1"}`}},
		{"shell", cat, []string{`{"output":"a","metadata":{"exit_code":1}}`}},
		{"run_shell_command", bashArgs, []string{"a\nOutput: b", "Command: make",
			"Command: make\nb"}},
		{"execute_bash", bashArgs, []string{"[The command timed out after 9 seconds. a",
			"a [Your command \"b\" is NOT executed. The previous command is still running]",
			`[Your command "b" is slow]`}},
		{"edit_file", deepEdit, []string{"ENOENT", "a not found", "File a\nb not found", "<error>a",
			"a</error>", `{"error":""}`, `{"error":5}`, `{"error":"a","x":1}`,
			"a Path b already exists as a file. Use `view` to check contents then edit it.",
			"a has been modified since you last read it "}},
		{"get_job", thing, []string{`{"isError":true,"content":"a"}`, `{"isError":"true",` +
			`"content":[]}`, `{"isError":true,"content":[],"job":7}`}},
		{"run_commands", `{"commands":["make"]}`, []string{
			`[{"query":"a","result":"b","success":true},`, `[{"query":"a","success":true}]`,
			`[{"query":5,"result":"b","success":true}]`,
			`[{"query":"a","result":"b","success":"true"}]`}},
		{"bash", `{"command":"make","i":"make it"}`, []string{"a", "a\n\nWall time: soon",
			"a\n\nWall time: 1 seconds\nb"}},
		{"exec_command", `{"cmd":"make","i":"make it"}`, []string{"a\n\nWall time: 1.0 seconds"}},
		{"Read", read, []string{`{"isError":true,"content":[]}`,
			`{"error":{"name":"Error","message":"a","__serialized":true}}`,
			`{"error":true,"toolName":"Read","toolCallId":"c1","message":"a"}`}},
		{"Read", read, []string{"1\ta\n<system>b</system>",
			"1\ta\n<system>9 lines read from file. Effective max_chars: 9",
			"1\ta\n9 lines read from file. Effective max_chars: 9</system>",
			"1\ta\n<system>9 lines read from file.</system>",
			"1\ta\n<system>Effective max_chars: 9</system>", "a]</system-reminder>",
			"a\n\n<system-reminder>[Showing lines 1-2 of 3 total lines]"}},
	} {
		for _, result := range c.results {
			call := calling(t, c.tool, c.arguments, result)
			if call.Status != Unknown || call.Exit != -1 || call.Session != "" {
				t.Errorf("%s, %q: status %d, exit code %d, session %q, want nothing", c.tool,
					result, call.Status, call.Exit, call.Session)
			}
			if got := outputOf(t, c.tool, c.arguments, result); got != result {
				t.Errorf("%s, %q: output %q", c.tool, result, got)
			}
		}
	}
}

// Forms of agents at their limits: what they frame is output, whatever it is.
func TestFormsAtTheirLimits(t *testing.T) {
	const (
		patch = `{"input":"*** Begin Patch\n*** Update File: a\n"}`
		still = "[Command is still running. Output will continue in /a]"
	)
	item := func(result, success string) string {
		return `{"query":"a","result":"` + result + `","success":` + success + `}`
	}
	for _, c := range []struct {
		tool, arguments, result, output string
		status                          Status
		exit                            int
	}{
		{"exec_command", codexArgs, "Exit code: 0\nOutput:", "", OK, 0},
		{"exec_command", codexArgs, "Exit code: 0\nOutput:\n\na", "\na", OK, 0},
		{"exec_command", codexArgs, "Exit code: 0\r\nOutput:\r\na", "a", OK, 0},
		{"exec_command", codexArgs, "Wall time: 1 second\nProcess running with session ID a b\n" +
			"Output:\na", "a", Unknown, -1},
		{"shell", bashArgs, `{"output":"a\n","metadata":{"exit_code":1}}`, "a\n", Failed, 1},
		{"shell", bashArgs, `{"output":"a\n","metadata":{"exit_code":0}}`, "a\n", OK, 0},
		{"apply_patch", patch, "Exit code: 1\nWall time: 0 seconds\nOutput:\na", "a", Failed, 1},
		{"exec", bashArgs, "(Command exited with code 3)", "", Failed, 3},
		{"execute", bashArgs, "a\nExit code: 1\n[Command failed with exit code 1]",
			"a\nExit code: 1", Failed, 1},
		{"execute", bashArgs, "a\n\nExit code: 2\n[Command failed with exit code 1]",
			"a\n\nExit code: 2", Failed, 1},
		{"execute", bashArgs, "a\n\nExit code: 0\n[Command succeeded with exit code 0]",
			"a\n\nExit code: 0", OK, 0},
		{"run_shell_command", bashArgs, "Output: Signal: 9", "Signal: 9", Unknown, -1},
		{"run_shell_command", bashArgs, "Output: a\nSignal\nExit Code: 1", "a\nSignal", Failed, 1},
		{"execute_bash", bashArgs, "a\n[Current working directory: /w\n" +
			"[Command finished with exit code 0]", "a\n[Current working directory: /w", OK, 0},
		{"execute_bash", bashArgs, "a\n[Your command \"b\" is NOT executed. The previous " +
			"command is still running] \n", "a", Failed, -1},
		{"run_commands", bashArgs, "[" + item("b", "false") + "]", "b\n", Failed, -1},
		{"run_commands", bashArgs, "[" + item(`Exit code 2\nb`, "false") + "]",
			"Exit code 2\nb\n", Failed, -1},
		{"run_commands", bashArgs, "[" + item("", "true") + "]", "", OK, -1},
		{"run_commands", bashArgs, "[" + item(still, "true") + "," + item("b", "true") + "]",
			still + "\nb\n", Unknown, -1},
		{"run_commands", bashArgs, "[" + item(still, "true") + "," + item("b", "false") + "]",
			still + "\nb\n", Failed, -1},
		{"Bash", bashArgs, kimiError + "\na\ntask_id: 7\nCommand failed with exit code: 3.",
			"a\ntask_id: 7\n", Failed, 3},
		{"TaskOutput", `{"task_id":"b7"}`, taskStart + "completed</status>\n\n<exit_code>2" +
			"</exit_code>\n\n<output>FAIL\n</output>\n", "FAIL\n", Failed, 2},
		{"TaskOutput", `{"task_id":"b7"}`, taskStart + "completed</status>\n\n<exit_code>0" +
			"</exit_code>", "", OK, 0},
		{"TaskOutput", `{"task_id":"b7"}`, "Wall time: 0.010 seconds\ntask_id: b7\n" +
			"status: completed\nkind: process\nexit_code: 0\noutput_size_bytes: 0\n\n" +
			"[output]\n[no output available]", "", OK, 0},
		{"TaskStop", `{"task_id":"b7"}`, "Wall time: 0.010 seconds\ntask_id: b7\n" +
			"status: killed\nreason: a", "Wall time: 0.010 seconds\ntask_id: b7\n" +
			"status: killed\nreason: a", Unknown, -1},
		{"mastra_workspace_read_file", `{"path":"a"}`, "a (lines 1-2 of 9, 40 bytes)\nb\nc",
			"b\nc", Unknown, -1},
		{"mastra_workspace_read_file", `{"path":"a"}`, "a (lines)\nb", "a (lines)\nb", Unknown, -1},
		{"read_file", `{"path":"a"}`, "a (9 bytes)\nb", "a (9 bytes)\nb", Unknown, -1},
		{"bash", bashArgs, "a\n<shell_metadata>\nb\n</shell_metadata>\nc",
			"a\n<shell_metadata>\nb\n</shell_metadata>\nc", Unknown, -1},
		// a long line without a space before the end
		{"bash", bashArgs, strings.Repeat("x", 9000) + "\n\nCommand exited with code 1",
			strings.Repeat("x", 9000) + "\n\n", Failed, 1},
		{"bash", bashArgs, strings.Repeat(`\`, 9000) + "\n\nCommand exited with code 1",
			strings.Repeat(`\`, 9000) + "\n\n", Failed, 1},
	} {
		call := calling(t, c.tool, c.arguments, c.result)
		if call.Status != c.status || call.Exit != c.exit || call.Session != "" {
			t.Errorf("%s, %.90q: status %d, exit code %d, session %q, want %d, %d", c.tool,
				c.result, call.Status, call.Exit, call.Session, c.status, c.exit)
		}
		if got := outputOf(t, c.tool, c.arguments, c.result); got != c.output {
			t.Errorf("%s, %.90q: output %.90q, want %.90q", c.tool, c.result, got,
				c.output)
		}
	}
	denied := calling(t, "bash", bashArgs, "a\n\nCommand exited with code 1", `"isError":false`)
	if denied.Status != Unknown {
		t.Errorf("status %d of a call that the API says did not fail", denied.Status)
	}
	const outcomes = `"output":[{"outcome":{"type":"exit","exit_code":1}},` +
		`{"outcome":{"type":"exit","exit_code":0}}]`
	if last := calling(t, "shell", bashArgs, "a", outcomes); last.Status != OK || last.Exit != 0 {
		t.Errorf("status %d, exit code %d, want those of the last command", last.Status, last.Exit)
	}
}

// What the message or the API says of a call counts beside the text.
func TestMembersBesideTheText(t *testing.T) {
	const (
		refused = "The user doesn't want to proceed with this tool use."
		unread  = "File /w/a has not been read in this session. Use the read_file tool."
		patch   = `{"input":"*** Begin Patch\n*** Update File: a\n"}`
		outcome = `{"outcome":{"type":"exit","exit_code":`
	)
	for _, c := range []struct {
		tool, arguments, result, member string
		status                          Status
		exit                            int
	}{
		{"bash", bashArgs, "a", `"status":"failed"`, Failed, -1},
		{"bash", bashArgs, "a\n<exited with exit code 0>", `"is_error":true`, Failed, 0},
		{"bash", bashArgs, "a\n<exited with exit code 0>", `"x":1`, OK, 0},
		{"shell", bashArgs, "a", `"output":[` + outcome + `0}},` + outcome + `1}}]`, Failed, 1},
		{"shell", bashArgs, "a", `"output":[{"outcome":{"type":"timeout"}}]`, Failed, -1},
		{"Bash", bashArgs, refused + "\na", `"is_error":true`, Refused, -1},
		{"Bash", bashArgs, refused + "\na", `"x":1`, Unknown, -1},
		{"Bash", bashArgs, refused, `"x":1`, Refused, -1},
		{"edit_file", deepEdit, refused + "\na", `"x":1`, Refused, -1},
		{"edit_file", deepEdit, unread, `"x":1`, Refused, -1},
		{"Bash", bashArgs, unread, `"x":1`, Unknown, -1},
		{"edit_file", deepEdit, "No replacement was performed", `"is_error":false`, Unknown, -1},
		{"edit_file", deepEdit, "No replacement was performed", `"x":1`, Failed, -1},
		{"apply_patch", patch, "a", `"status":"completed"`, OK, -1},
		{"edit_file", deepEdit, "a", `"status":"completed"`, Unknown, -1},
		{"apply_patch", patch, "a", `"status":"in_progress"`, Unknown, -1},
		{"bash", bashArgs, "a\n\nCommand exited with code 1\n\n<system-reminder>\nb\n" +
			"</system-reminder>",
			`"x":1`, Failed, 1},
	} {
		call := calling(t, c.tool, c.arguments, c.result, c.member)
		if call.Status != c.status || call.Exit != c.exit {
			t.Errorf("%s, %q, %s: status %d, exit code %d, want %d, %d", c.tool, c.result, c.member,
				call.Status, call.Exit, c.status, c.exit)
		}
	}
}

// An object that may report a failure makes the status doubtful, data that was asked for does not.
func TestObjectsThatMayReportFailures(t *testing.T) {
	for object, want := range map[string][2]bool{ // of a call for data, and of a command
		`{"stdout":"a","exit_code":1}`:             {true, true},
		`{"stderr":"a","exitCode":1}`:              {true, true},
		`{"output":"a","metadata":{"exitCode":1}}`: {true, true},
		`{"stdout":"a","returncode":0}`:            {false, false},
		`{"stdout":"a","exit_code":"1"}`:           {false, false},
		`{"stdout":"a","exit_code":1.5}`:           {false, false},
		`{"exit_code":1}`:                          {false, false},
		`{"error":"late","x":1}`:                   {true, false},
		`{"error":{},"x":1}`:                       {true, false},
		`{"error":true,"x":1}`:                     {true, false},
		`{"error":"","x":1}`:                       {false, false},
		`{"error":false,"x":1}`:                    {false, false},
		`{"error":null,"x":1}`:                     {false, false},
		`{"is_error":true,"x":1}`:                  {true, false},
		`{"isError":true,"x":1}`:                   {true, false},
		`{"success":false,"x":1}`:                  {true, false},
		`{"ok":false,"x":1}`:                       {true, false},
		`{"ok":true,"x":1}`:                        {false, false},
	} {
		data := calling(t, "get_job", `{"id":7}`, object)
		command := calling(t, "bash", bashArgs, object)
		if got := [2]bool{data.MayHaveFailed(), command.MayHaveFailed()}; got != want {
			t.Errorf("%s: may have failed %v, want %v", object, got, want)
		}
	}
}

func TestIsSession(t *testing.T) {
	for id, want := range map[string]bool{
		"7": true, "a-b_C9": true, "azAZ09": true, strings.Repeat("a", 20): true,
		"": false, strings.Repeat("a", 21): false, "a b": false, "é": false, "/": false,
		":": false, "@": false, "[": false, "`": false, "{": false,
	} {
		if got := results.IsSession(id); got != want {
			t.Errorf("%q: %t, want %t", id, got, want)
		}
	}
}
