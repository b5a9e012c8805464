package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// awaited returns messages: a script with its result, and calls of wait for its cell with theirs.
// Each result has the parts that Codex sends.
func awaited(t testing.TB, source string, first []string, waits ...[]string) []view.Message {
	t.Helper()
	msgs := scriptMessages(t, source, first...)
	for i, texts := range waits {
		id := fmt.Sprint("w", i)
		raws := []string{`{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function",` +
			`"function":{"name":"wait","arguments":"{\"cell_id\":\"7\",\"max_tokens\":900}"}}]}`}
		var parts []string
		for _, text := range texts {
			quoted, _ := json.Marshal(text)
			parts = append(parts, `{"type":"text","text":`+string(quoted)+`}`)
		}
		raws = append(raws, `{"role":"tool","tool_call_id":"`+id+`","content":[`+
			strings.Join(parts, ",")+`]}`)
		for _, raw := range raws {
			m, err := chat.ParseMessage([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			msgs = append(msgs, m)
		}
	}
	return msgs
}

// What a script does that goes on is answered by the call that waits for it (Codex 0.169).
func TestScriptsThatAreAwaited(t *testing.T) {
	const stopped = "Script terminated\nWall time 2.0 seconds\nOutput:\n"
	const goesOn = `{"chunk_id":"7a","wall_time_seconds":30.1,"session_id":50,"output":"PASS\n"}`
	one := []string{running}
	for _, test := range []struct {
		name, source string
		first        []string
		waits        [][]string
		want         string // of each call: message, what it is, how it ended, what it polls
	}{
		{"a command that ended", command + "text(r);", one, [][]string{{completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"a command that ended, in one text", command + "text(JSON.stringify(r));", one,
			[][]string{{completed + "\n" + value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"a command that goes on", command + "text(r);", one, [][]string{{completed, goesOn}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... unknown \"PASS\\n\" polls cell 7 in 50"},
		{"waited for twice", command + "text(r);", one, [][]string{one, {completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... unknown \"\" polls cell 7 in cell 7\n" +
				"4 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7"},
		{"waited for again behind its end", command + "text(r);", one,
			[][]string{{completed, value}, {completed, value}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 exec_command go test ./... failed 3 \"FAIL\\n\" polls cell 7\n" +
				"4 wait  unknown " + fmt.Sprintf("%q", value)},
		{"a patch", `text(await tools.apply_patch("` + patchText + `"));`, one,
			[][]string{{completed, "{}"}},
			"0 apply_patch update:a.go unknown \"\" in cell 7\n" +
				"2 apply_patch update:a.go ok \"{}\" polls cell 7"},
		{"two commands", twoReads + "for (const r of rs) text(r.output);", one,
			[][]string{{completed, "package a\n", "func b() {\n"}},
			"0 exec  unknown \"\" in cell 7\n" +
				"2 wait  unknown \"package a\\n\\nfunc b() {\\n\" polls cell 7\n" +
				"2 exec_command cat a.go unknown \"package a\\n\" shows a.go:1\n" +
				"2 exec_command sed -n 5,9p b.go unknown \"func b() {\\n\" shows b.go:5"},
		{"two commands, something was printed before", twoReads + `text("a"); text(rs[0].output);`,
			[]string{running, "a"}, [][]string{{completed, "x", "y"}},
			"0 exec  unknown \"a\" in cell 7\n2 wait  unknown \"x\\ny\" polls cell 7\n" +
				"2 exec_command cat a.go unknown \"\"\n" +
				"2 exec_command sed -n 5,9p b.go unknown \"\""},
		{"a value, something was printed before", command + "text(r);",
			[]string{running, "a"}, [][]string{{completed, value}},
			"0 exec_command go test ./... unknown \"a\" in cell 7\n" +
				"2 exec_command go test ./... unknown " + fmt.Sprintf("%q", value) +
				" loose polls cell 7"},
		{"stopped", command + "text(r);", one, [][]string{{stopped}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 wait  unknown \"\" polls cell 7"},
		{"an error that may be of the wait", command + "text(r);", one,
			[][]string{{failed, "Script error:\nno such cell"}},
			"0 exec_command go test ./... unknown \"\" in cell 7\n" +
				"2 wait  failed \"Script error:\\nno such cell\""},
		{"of another script", command + "text(r);", []string{completed, value},
			[][]string{{completed, value}},
			"0 exec_command go test ./... failed 3 \"FAIL\\n\"\n2 wait  unknown " +
				fmt.Sprintf("%q", value)},
		{"what is no script", "make the tea", one, [][]string{{completed, "tea\n"}},
			"0 exec  unknown \"\" in cell 7\n2 wait  unknown \"tea\\n\" polls cell 7"},
	} {
		msgs := awaited(t, test.source, test.first, test.waits...)
		for name, read := range map[string]*Transcript{
			"whole": ReadAll(msgs), "parts": partly(msgs),
		} {
			var lines []string
			for i := range read.Calls {
				c := &read.Calls[i]
				l := fmt.Sprint(c.Caller, " ", callLine(read, c))
				if c.Polls() != "" {
					l += " polls " + c.Polls()
				}
				if c.Session != "" {
					l += " in " + c.Session
				}
				if began := c.Began(); c.Caller > 0 && (c.Via != nil && began != 0 || began > 0) {
					t.Errorf("%s: message %d began it", test.name, began)
				}
				lines = append(lines, l)
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("%s (%s)\ngot\n%s\nwant\n%s", test.name, name, got, test.want)
			}
		}
	}
}

// A result that answers no call says nothing of a script.
func TestScriptsOfNoCall(t *testing.T) {
	msgs := awaited(t, "make the tea", []string{"tea"}, []string{running})
	orphan, err := chat.ParseMessage([]byte(strings.Replace(string(msgs[3].Raw), `"w0"`, `"x"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	read := ReadAll([]view.Message{msgs[2], orphan, msgs[3]})
	if c := &read.Calls[0]; c.Polls() != "" || c.Session != "" {
		t.Errorf("it goes on with %q in %q", c.Polls(), c.Session)
	}
}

// partly reads messages from the last to the first, as a conversation is that was folded before.
func partly(msgs []view.Message) *Transcript {
	memo, groups := NewMemo(len(msgs)), view.Groups(msgs)
	memo.Read(msgs, groups, groups[len(groups)-1].Start)
	return memo.Read(msgs, groups, 0)
}

// How a command in the background goes on is stated in the forms of two agents: those of Claude
// Code 2.1.30 and 2.1.332, and of Kimi Code 2.1.0.
func TestCommandsInTheBackground(t *testing.T) {
	const (
		test = `{"command":"make test"}`
		of   = `{"task_id":"b7"}`
		kimi = "Wall time: 1.234 seconds\nretrieval_status: success\ntask_id: bash-1a\n" +
			"description: Tests\nstatus: "
		command = "\ndetached: true\nkind: process\ncommand: make test\npid: 12\n"
		sizes   = "output_path: /t\noutput_size_bytes: 5\noutput_preview_bytes: 5\n" +
			"output_truncated: false\n\n[output]\n"
		stop = `{"message":"Successfully stopped task: b7 (make test)","task_id":"b7",` +
			`"task_type":"local_bash","command":"make test"}`
	)
	for name, tc := range map[string]struct {
		tool, arguments, result string
		want                    string // session, what is polled, what is stopped, status, code
	}{
		"by a person": {"Bash", test, "Command was manually backgrounded by user with ID: b7. " +
			"Output is being written to: /t/b7.output.", "b7   unknown -1"},
		"by a person, behind its output": {"Bash", test, "ok a\nok b\nCommand was manually " +
			"backgrounded by user with ID: b7. Output is being written to: /t/b7.output. To " +
			"check interim output, use Read on that file path.", "b7   unknown -1"},
		"by its time limit": {"Bash", test, "ok a\nCommand did not complete within its 120s " +
			"timeout and was moved to the background (ID: b7). Output is being written to: /t",
			"b7   unknown -1"},
		"for a message": {"Bash", test, "Command was moved to the background (ID: b7) so that a " +
			"message that arrived while it was running can reach you; it was not interrupted.",
			"b7   unknown -1"},
		"by a limit of sub-agents": {"Bash", test, "Command was moved to the background (ID: b7) " +
			"after running for 9s. Output is being written to: /t\nShell cwd was reset to /a",
			"b7   unknown -1"},
		"what a log says": {"Bash", `{"command":"cat log"}`, "Command was manually backgrounded " +
			"by user with ID: b7. Output is being written to: /t", "   unknown -1"},
		"what a program says": {"Bash", test, "Command was manually backgrounded by user with " +
			"ID: b7. x\nok\nok", "b7   unknown -1"},
		"in the middle": {"Bash", test, "a\nCommand was manually backgrounded by user with " +
			"ID: b7. x\nok", "   unknown -1"},
		"killed": {"TaskOutput", of, taskStart + "killed</status>\n\n<exit_code>137</exit_code>",
			" b7  unknown -1"},
		"failed": {"TaskOutput", of, taskStart + "failed</status>",
			" b7  failed -1"},
		"stopped":                     {"TaskStop", of, stop, "  b7 unknown -1"},
		"stopped, by an earlier name": {"KillShell", `{"shell_id":"b7"}`, stop, "  b7 unknown -1"},
		"a stopped sub-agent": {"TaskStop", of, strings.Replace(stop, "local_bash", "local_agent",
			1), "   unknown -1"},
		"not stopped": {"TaskStop", of, `{"message":"Task b7 may still be running: x","task_id":` +
			`"b7","task_type":"local_bash"}`, "   unknown -1"},
		"Copilot CLI, runs": {"bash", test, "ok a\n<command with shellId: 3 is still " +
			"running after 30 seconds. Use read_bash>", "3   unknown -1"},
		"Copilot CLI, begun": {"bash", test, "<command started in detached background with " +
			"shellId: make-1. You will be automatically notified when it completes.>",
			"make-1   unknown -1"},
		"Copilot CLI, what a log says": {"bash", `{"command":"cat log"}`, "<command started in " +
			"background with shellId: 3>", "   unknown -1"},
		"Copilot CLI, still runs": {"read_bash", `{"shellId":"3","delay":9}`, "ok a\n<command " +
			"with shellId: 3 is still running after 9 seconds. Use read_bash>", "3 3  unknown -1"},
		"Copilot CLI, ended": {"read_bash", `{"shellId":"3","delay":9}`, strings.Repeat("ok a\n",
			1000) + "<shellId: 3 completed with exit code 2>", " 3  failed 2"},
		"Copilot CLI, stopped": {"stop_bash", `{"shellId":"3"}`, "<command with id: 3 stopped>",
			"  3 unknown -1"},
		"Kimi Code, runs": {"Bash", test, "Wall time: 60.100 seconds\ntask_id: bash-1a\npid: 12\n" +
			"description: Tests\nstatus: running\nautomatic_notification: true\n",
			"bash-1a   unknown -1"},
		"Kimi Code, still runs": {"TaskOutput", of, kimi + "running" + command + sizes + "ok a",
			"bash-1a bash-1a  unknown -1"},
		"Kimi Code, completed": {"TaskOutput", of, kimi + "completed" + command + "exit_code: 0\n" +
			sizes + "ok a", " bash-1a  ok 0"},
		"Kimi Code, failed": {"TaskOutput", of, kimi + "failed" + command + "exit_code: 2\n" +
			sizes + "ok a", " bash-1a  failed 2"},
		"Kimi Code, took too long": {"TaskOutput", of, kimi + "timed_out" + command + sizes +
			"[no output available]", " bash-1a  failed -1"},
		"Kimi Code, killed": {"TaskOutput", of, kimi + "killed" + command + sizes +
			"[no output available]", " bash-1a  unknown -1"},
		"Kimi Code, a command with such a line": {"TaskOutput", of, kimi + "failed" +
			strings.Replace(command, "make test", "a <<x\nexit_code: 0\nx", 1) +
			"exit_code: 2\n" + sizes, "   unknown -1"},
		"Kimi Code, a sub-agent": {"TaskOutput", of, kimi + "completed" +
			strings.Replace(command, "process", "agent", 1) + sizes, "   unknown -1"},
		"Kimi Code, stopped": {"TaskStop", of, "Wall time: 9.000 seconds\ntask_id: bash-1a\n" +
			"status: killed\nreason: Stopped by TaskStop", "  bash-1a unknown -1"},
	} {
		c := calling(t, tc.tool, tc.arguments, tc.result)
		status := []string{"unknown", "ok", "failed", "refused"}[c.Status]
		got := fmt.Sprintf("%s %s %s %s %d", c.Session, c.Polls(), c.Stops, status, c.Exit)
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// Clients say in messages of the user's role that commands in the background have ended.
func TestCommandsThatEndedByWhatClientsSay(t *testing.T) {
	const kimi = `<notification id="task:bash-7:%[1]s" category="task" type="task.%[1]s" ` +
		`source_kind="background_task" source_id="bash-7">` +
		"\nTitle: Background process %[1]s\nSeverity: info\nWall time: 1.0 seconds\n" +
		"Tests %[1]s.\n</notification>"
	const claude = "<task-notification>\n<task-id>b7</task-id>\n<status>completed</status>\n" +
		"<summary>Background command \"Bake (exit code 3)\" completed%s</summary>\n" +
		"</task-notification>\nRead the output file"
	ended, unknown := fmt.Sprintf(claude, " (exit code 0)"), fmt.Sprintf(claude, "")
	for text, want := range map[string]string{
		fmt.Sprintf(kimi, "completed"):               "[{bash-7 0 -1 }]",
		fmt.Sprintf(kimi, "failed"):                  "[{bash-7 2 -1 }]",
		fmt.Sprintf(kimi, "killed"):                  "[{bash-7 0 -1 }]",
		strings.ReplaceAll(kimi, "process", "agent"): "[]",
		ended: "[{b7 1 0 }]",
		fmt.Sprintf(claude, " (exit code 1: no matches)"): "[{b7 2 1 }]",
		unknown: "[{b7 0 -1 }]",
		strings.Replace(unknown, `Background command "Bake (exit code 3)" completed</summary>`,
			`Agent "Bake" finished</summary>`+"\n<result>All\nbaked.</result>",
			1): "[{b7 0 -1 All\nbaked.}]",
		strings.Replace(unknown, `Background command "Bake (exit code 3)" completed`,
			`Agent "Bake" is waiting on its own background work`, 1): "[]",
		"Like this: " + ended:  "[]",
		ended + "\n" + unknown: "[{b7 1 0 } {b7 0 -1 }]",
	} {
		quoted, _ := json.Marshal(text)
		m, err := chat.ParseMessage([]byte(`{"role":"user","content":` + string(quoted) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(ReadAll([]view.Message{m}).EndedIn(0)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
