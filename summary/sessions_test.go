package summary

import (
	"strings"
	"testing"
)

// taskFrame begins what Claude Code says of a command in the background.
const taskFrame = "<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n" +
	"<task_type>local_bash</task_type>\n\n<status>"

// codexFrame begins what Codex puts before an output.
const codexFrame = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess "

// The results of a script that ended, and of one that goes on.
const (
	scriptFrame = "Script completed\nWall time 1.0 seconds\nOutput:\n"
	cellFrame   = "Script running with cell ID 7\nWall time 1.0 seconds\nOutput:\n"
)

// notice is what Claude Code says of a command in the background that ended.
func notice(id, status, summary string) string {
	return "<task-notification>\n<task-id>" + id + "</task-id>\n<tool-use-id>t</tool-use-id>\n" +
		"<output-file>/tmp/" + id + "</output-file>\n<status>" + status + "</status>\n" +
		"<summary>Background command " + summary + "</summary>\n</task-notification>\n" +
		"Read the output file to retrieve the result: /tmp/" + id
}

// launched begins what Claude Code returns of a sub-agent in the background.
const launched = "Async agent launched successfully.\nagentId: "

// kimiAgent is what Kimi Code returns of a sub-agent.
const kimiAgent = "Wall time: 0.100 seconds\nagent_id: a1\nactual_subagent_type: coder\n" +
	"status: completed\nstop_reason: completed\n\n[summary]\nThe one in\nroom 7.\n\n" +
	"resume_hint: Continue with Agent(resume=\"a1\", prompt=\"...\")."

// TestCommandsThatGoOn joins commands that went on in a session, in the background or in a script
// with the calls that said how they ended.
func TestCommandsThatGoOn(t *testing.T) {
	checkSections(t, []sectionCase{
		{"how one that went on in a session ended",
			talk(began, call("exec_command", `{"cmd":"make all"}`, codexFrame+
				"running with session ID 7\nOutput:\nbuilding"),
				call("exec_command", `{"cmd":"make docs"}`, codexFrame+
					"running with session ID 9\nOutput:\nreading"),
				call("write_stdin", `{"session_id":7,"chars":"","yield_time_ms":900}`, codexFrame+
					"exited with code 0\nOutput:\nall built")), TitleCommands,
			[]string{"- 2-6 exec_command(make all) → exit code 0; last line: all built",
				"- 4 exec_command(make docs) → still running then, ID 9; last line: reading"}},
		{"how ones in the background ended by what the client says",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				call("Bash", `{"command":"make docs","run_in_background":true}`,
					"Command running in background with ID: b8. Output is being written to: /b8"),
				call("Bash", `{"command":"make serve","run_in_background":true}`,
					"Command running in background with ID: b9. Output is being written to: /b9"),
				user(notice("b7", "completed", `"Bake" completed (exit code 0)`)),
				user(notice("b9", "killed", `"Serve" was stopped`)),
				user(notice("b6", "completed", `"Other" completed (exit code 0)`))), TitleCommands,
			[]string{"- 6-9 Bash(make serve) → stopped", "- 2-8 Bash(make all) → exit code 0",
				"- 4 Bash(make docs); it returned: Command running in background with ID: b8. " +
					"Output is being written to: /b8"}},
		{"what sub-agents in the background answered",
			talk(began, call("Task", `{"description":"Ask","prompt":"Which oven?"}`, launched+
				"a7 (internal ID - do not mention to user.)\nThe agent is working."),
				call("Task", `{"description":"Count","prompt":"How many?"}`, launched+
					"a8 (internal ID - do not mention to user.)\nThe agent is working."),
				user("<task-notification>\n<task-id>a7</task-id>\n<status>completed</status>\n"+
					"<summary>Agent \"Ask\" finished</summary>\n<result>The one in\nroom 7."+
					"</result>\n</task-notification>")), TitleData,
			[]string{"- 2-6 Task(description=Ask, prompt=Which oven?) → The one in room 7.",
				"- 4 Task(description=Count, prompt=How many?) → still running then, ID a8"}},
		{"a sub-agent in the background that was stopped",
			talk(began, call("Task", `{"description":"Ask","prompt":"Which oven?"}`, launched+
				"a7 (internal ID - do not mention to user.)\nThe agent is working."),
				call("TaskStop", `{"task_id":"a7"}`, `{"message":"Successfully stopped task: a7 `+
					`(Ask)","task_id":"a7","task_type":"local_agent"}`)), TitleData,
			[]string{"- 2 Task(description=Ask, prompt=Which oven?) → stopped",
				"- 4 TaskStop(a7) → message: Successfully stopped task: a7 (Ask); " +
					"task_type: local_agent"}},
		{"one that was interrupted in its session",
			talk(began, call("exec_command", `{"cmd":"make serve","tty":true}`, codexFrame+
				"running with session ID 7\nOutput:\nserving"),
				call("write_stdin", `{"session_id":7,"chars":"\u0003"}`, codexFrame+
					"exited with code 130\nOutput:\n^C"),
				call("exec_command", `{"cmd":"make docs"}`, codexFrame+
					"running with session ID 9\nOutput:\nreading"),
				call("write_stdin", `{"session_id":9,"chars":"\u0003"}`, codexFrame+
					"running with session ID 9\nOutput:\n")), TitleCommands,
			[]string{`- 8 write_stdin(session_id=9, chars="\u0003") → still running then, ID 9`,
				"- 6 exec_command(make docs) → still running then, ID 9; last line: reading",
				`- 4 write_stdin(session_id=7, chars="\u0003") → ^C`,
				"- 2 exec_command(make serve) → stopped; last line: serving"}},
		{"one that had ended before a call was to stop it",
			talk(began, call("bash", `{"command":"make all"}`, "<command started in background "+
				"with shellId: 3>"),
				call("stop_bash", `{"shellId":"3"}`, "<command with id: 3 had already stopped>")),
			TitleCommands, []string{"- 2 bash(make all)"}},
		{"what sub-agents of Kimi Code answered",
			talk(began, call("Agent", `{"description":"Ask","prompt":"Which oven?"}`, kimiAgent),
				call("Agent", `{"description":"Ask","prompt":"And when?"}`, strings.Replace(
					kimiAgent, "stop_reason: completed", "stop_reason: repeat_breaker\n"+
						"notice: The subagent was stopped by the repeat breaker.", 1))), TitleData,
			[]string{"- 4 Agent(description=Ask, prompt=And when?) → agent_id: a1 " +
				"actual_subagent_type: coder status: completed stop_reason: repeat_breaker " +
				"notice: The subagent was stopped by the repeat breaker. [summary] " +
				"The one in room 7. resume_hint: Continue with " +
				`Agent(resume="a1", prompt="...").`,
				"- 2 Agent(description=Ask, prompt=Which oven?) → The one in room 7."}},
		{"one in the background that failed by what the client says",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				user(notice("b7", "failed", `"Bake" failed with exit code 2`))), TitleOpen,
			[]string{"- 2-4 Bash(make all) → exit code 2"}},
		{"words like what the client says of one that ended",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				user("It wrote: "+notice("b7", "failed", `"Bake" said "done"`))), TitleOpen, nil},
		{"how one in the background stands, and how another ended",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				call("Bash", `{"command":"make docs"}`,
					"Command running in background with ID: b8. Output is being written to: /b8"),
				call("TaskOutput", `{"task_id":"b7","block":false}`, taskFrame+"running</status>"),
				call("TaskOutput", `{"task_id":"b7","block":true}`, taskFrame+"completed</status>"+
					"\n\n<exit_code>0</exit_code>\n\n<output>\nbuilding\nall built\n</output>")),
			TitleCommands,
			[]string{"- 2-8 Bash(make all) → exit code 0; last line: all built",
				"- 4 Bash(make docs); it returned: Command running in background with ID: b8. " +
					"Output is being written to: /b8"}},
		{"one in the background that goes on",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				call("TaskOutput", `{"task_id":"b7","block":false}`, taskFrame+"running</status>"),
				call("TaskOutput", `{"task_id":"a9"}`, strings.NewReplacer("b7", "a9",
					"local_bash", "local_agent").Replace(taskFrame)+"running</status>")),
			TitleCommands, []string{"- 2-4 Bash(make all) → still running then, ID b7"}},
		{"one in the background that was stopped",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				call("TaskOutput", `{"task_id":"b7","block":false}`, taskFrame+"running</status>"),
				call("TaskStop", `{"task_id":"b7"}`, `{"message":"Successfully stopped task: b7 (`+
					`make all)","task_id":"b7","task_type":"local_bash"}`)),
			TitleCommands, []string{"- 2-4 Bash(make all) → stopped"}},
		{"one in the background that was stopped before its output was read",
			talk(began, call("Bash", `{"command":"make all","run_in_background":true}`,
				"Command running in background with ID: b7. Output is being written to: /tmp/b7"),
				call("KillShell", `{"shell_id":"b7"}`, `{"message":"Successfully stopped task: `+
					`b7 (make all)","task_id":"b7","task_type":"local_bash"}`)),
			TitleCommands, []string{"- 2 Bash(make all) → stopped"}},
		{"those of scripts that were waited for",
			talk(began,
				call("exec", `{"input":"text(await tools.exec_command({cmd: 'make all'}))"}`,
					cellFrame),
				call("wait", `{"cell_id":"7","yield_time_ms":900}`, scriptFrame+
					`{"wall_time_seconds":9,"exit_code":0,"output":"all built"}`),
				call("exec", `{"input":"await tools.exec_command({cmd: 'make docs'}); `+
					`await tools.exec_command({cmd: 'make site'})"}`, cellFrame),
				call("exec", `{"input":"text(await tools.exec_command({cmd: 'make tea'}))"}`,
					strings.Replace(cellFrame, "7", "8", 1)),
				call("wait", `{"cell_id":"7","yield_time_ms":900}`, scriptFrame)),
			TitleCommands,
			[]string{"- 6-10 exec_command(make docs)", "- 6-10 exec_command(make site)",
				"- 8 exec_command(make tea) → still running then, ID cell 8",
				"- 2-4 exec_command(make all) → exit code 0; last line: all built"}},
		{"one of a script that went on in a session",
			talk(began,
				call("exec", `{"input":"text(await tools.exec_command({cmd: 'make all'}))"}`,
					scriptFrame+`{"wall_time_seconds":9,"session_id":50,"output":"building"}`),
				call("exec", `{"input":"text(await tools.write_stdin({session_id: 50}))"}`,
					cellFrame),
				call("wait", `{"cell_id":"7","yield_time_ms":900}`, scriptFrame+
					`{"wall_time_seconds":9,"exit_code":0,"output":"all built"}`)),
			TitleCommands,
			[]string{"- 2-6 exec_command(make all) → exit code 0; last line: all built"}},
		{"one that went on in a session, and one that was run again meanwhile",
			talk(began, call("exec_command", `{"cmd":"make all"}`, codexFrame+
				"running with session ID 7\nOutput:\n"),
				call("exec_command", `{"cmd":"make docs"}`, codexFrame+
					"running with session ID 9\nOutput:\n"),
				call("exec_command", `{"cmd":"make docs"}`, codexFrame+
					"exited with code 0\nOutput:\n"),
				call("write_stdin", `{"session_id":7,"chars":"","yield_time_ms":900}`, codexFrame+
					"exited with code 2\nOutput:\nno rule"),
				call("write_stdin", `{"session_id":9,"yield_time_ms":900}`, codexFrame+
					"exited with code 3\nOutput:\nno room")), TitleOpen,
			[]string{"- 10 write_stdin(session_id=9) → exit code 3; it returned: no room",
				"- 2-8 exec_command(make all) → exit code 2; it returned: no rule"}},
	})
}
