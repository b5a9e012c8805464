package results_test

import (
	"fmt"
	"strings"
	"testing"
)

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
			" b7  stopped -1"},
		"failed": {"TaskOutput", of, taskStart + "failed</status>",
			" b7  failed -1"},
		"stopped":                     {"TaskStop", of, stop, "  b7! unknown -1"},
		"stopped, by an earlier name": {"KillShell", `{"shell_id":"b7"}`, stop, "  b7! unknown -1"},
		"begun, as earlier": {"Bash", test, "Command running in background with ID: bash_1",
			"bash_1   unknown -1"},
		"stopped, as earlier": {"KillShell", `{"shell_id":"bash_1"}`, `{"message":"Successfully ` +
			`killed shell: bash_1 (make test)","shell_id":"bash_1"}`, "  bash_1! unknown -1"},
		"not stopped, as earlier": {"KillBash", `{"shell_id":"bash_1"}`, `{"message":"No such ` +
			`shell","shell_id":"bash_1"}`, "   unknown -1"},
		"a stopped sub-agent": {"TaskStop", of, strings.Replace(stop, "local_bash", "local_agent",
			1), "  b7! unknown -1"},
		"a stopped session elsewhere": {"TaskStop", of, strings.Replace(stop, "local_bash",
			"remote_agent", 1), "   unknown -1"},
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
			"  3! unknown -1"},
		"Copilot CLI, ended before": {"stop_bash", `{"shellId":"3"}`, "<command with id: 3 had " +
			"already stopped>", "  3 unknown -1"},
		"oh-my-pi, begun": {"bash", `{"i":"Test","command":"make test"}`, "ok a\n\nBackgrounded " +
			"as job bg_7; result will be delivered automatically.", "bg_7   unknown -1"},
		"oh-my-pi, stopped": {"hub", `{"op":"cancel","ids":["bg_7"]}`, "## Cancelled (1)\n\n" +
			"- Cancelled background job bg_7.\n\n## Completed (1)\n\n### bg_7 [bash] — cancelled",
			"  bg_7! unknown -1"},
		"oh-my-pi, ended before": {"hub", `{"op":"cancel","ids":["bg_7"]}`, "## Cancelled (1)\n\n" +
			"- Background job bg_7 is already completed.", "   unknown -1"},
		"oh-my-pi's words of another agent": {"bash", test, "Backgrounded as job bg_7; result " +
			"will be delivered automatically.", "   unknown -1"},
		"qwen-code, begun": {"run_shell_command", `{"command":"make test","is_background":true}`,
			"Background shell started.\nid: bg_1a\npid: 7\noutput file: /t", "bg_1a   unknown -1"},
		"qwen-code, what a log says": {"run_shell_command", `{"command":"cat log"}`,
			"Background shell started.\nid: bg_1a\npid: 7\n", "   unknown -1"},
		"qwen-code, a sub-agent": {"agent", `{"prompt":"Ask"}`, "Background agent launched " +
			"successfully.\ntask_id: asker-1a2b (internal ID — do not mention to the user.)",
			"asker-1a2b   unknown -1"},
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
			"[no output available]", " bash-1a  stopped -1"},
		"Kimi Code, a command with such a line": {"TaskOutput", of, kimi + "failed" +
			strings.Replace(command, "make test", "a <<x\nexit_code: 0\nx", 1) +
			"exit_code: 2\n" + sizes, "   unknown -1"},
		"Kimi Code, a sub-agent": {"TaskOutput", of, kimi + "completed" +
			strings.Replace(command, "process", "agent", 1) + sizes, "   unknown -1"},
		"Kimi Code, without its sizes": {"TaskOutput", of, kimi + "completed" + command +
			"exit_code: 0\n\n[output]\nok a", "   unknown -1"},
		"Kimi Code, without an output": {"TaskOutput", of, kimi + "completed" + command +
			"exit_code: 0\n" + strings.Replace(sizes, "[output]", "", 1), "   unknown -1"},
		"Kimi Code, behind another line": {"TaskOutput", of, "ok\n" + kimi + "completed" + command +
			"exit_code: 0\n" + sizes, "   unknown -1"},
		"Kimi Code, an id that is none": {"TaskOutput", of, strings.Replace(kimi, "bash-1a", "a b",
			1) + "completed" + command + "exit_code: 0\n" + sizes, "   unknown -1"},
		"Kimi Code, stopped for no reason": {"TaskStop", of, "Wall time: 9.000 seconds\ntask_id: " +
			"bash-1a\nstatus: killed\nwhy: x", "   unknown -1"},
		"Kimi Code, a stop that is cut": {"TaskStop", of, "Wall time: 9.000 seconds\ntask_id: " +
			"bash-1a\nstatus: killed", "   unknown -1"},
		"Kimi Code, a stop without a time": {"TaskStop", of, "Time: 9\ntask_id: bash-1a\n" +
			"status: killed\nreason: x", "   unknown -1"},
		"Kimi Code, a stop of what": {"TaskStop", of, "Wall time: 9.000 seconds\nid: bash-1a\n" +
			"status: killed\nreason: x", "   unknown -1"},
		"Kimi Code, how it was stopped": {"TaskStop", of, "Wall time: 9.000 seconds\ntask_id: " +
			"bash-1a\nstate: killed\nreason: x", "   unknown -1"},
		"Kimi Code, without a process": {"Bash", test, "Wall time: 60.100 seconds\ntask_id: " +
			"bash-1a\nname: x\nstatus: running\nautomatic_notification: true\n", "   unknown -1"},
		"Kimi Code, does not run": {"Bash", test, "Wall time: 60.100 seconds\ntask_id: bash-1a\n" +
			"pid: 12\nstatus: lost\n", "   unknown -1"},
		"Kimi Code, at another time": {"Bash", test, "Time: 60.100 seconds\ntask_id: bash-1a\n" +
			"pid: 12\nstatus: running\nautomatic_notification: true\n", "   unknown -1"},
		"Kimi Code, an id of no session": {"Bash", test, "Wall time: 60.100 seconds\ntask_id: " +
			"a b\npid: 12\nstatus: running\nautomatic_notification: true\n", "   unknown -1"},
		"another agent, the same": {"run_shell_command", test, "Wall time: 60.100 seconds\n" +
			"task_id: bash-1a\npid: 12\nstatus: running\nautomatic_notification: true\n",
			"   unknown -1"},
		"a task of no type": {"TaskOutput", of, strings.Replace(taskStart,
			"<task_type>local_bash</task_type>\n\n", "", 1) + "failed</status>", "   unknown -1"},
		"a task with an id that is none": {"TaskOutput", of, strings.Replace(taskStart, "b7", "b 7",
			1) + "failed</status>", "   unknown -1"},
		"behind its output, and in another folder": {"Bash", test, "ok a\nok b\nCommand was " +
			"manually backgrounded by user with ID: b7. Output is being written to: /t\n\nShell " +
			"cwd was reset to /a", "b7   unknown -1"},
		"a log, from the start": {"Bash", `{"command":"tail -f log","run_in_background":true}`,
			"Command running in background with ID: b7. Output is being written to: /t",
			"b7   unknown -1"},
		"Copilot CLI, ended at once": {"bash", test,
			"ok a\n<shellId: 3 completed with exit code 0>", "   ok 0"},
		"Copilot CLI, neither": {"read_bash", `{"shellId":"3"}`, "ok a\n<command x>",
			"   unknown -1"},
		"Copilot CLI, not stopped": {"stop_bash", `{"shellId":"3"}`, "<command with id: 3 lives>",
			"   unknown -1"},
		"Kimi Code, stopped": {"TaskStop", of, "Wall time: 9.000 seconds\ntask_id: bash-1a\n" +
			"status: killed\nreason: Stopped by TaskStop", "  bash-1a! unknown -1"},
		"Kimi Code, ended before": {"TaskStop", of, "Wall time: 9.000 seconds\ntask_id: bash-1a\n" +
			"status: completed\nreason: Task already completed", "  bash-1a unknown -1"},
		"Kimi Code, a sub-agent in the background": {"Agent", `{"prompt":"Ask"}`, "Wall time: " +
			"0.100 seconds\ntask_id: agent-1a\nstatus: running\nagent_id: a7\n" +
			"actual_subagent_type: coder\n", "agent-1a   unknown -1"},
	} {
		c := calling(t, tc.tool, tc.arguments, tc.result)
		status := []string{"unknown", "ok", "failed", "refused", "stopped"}[c.Status]
		stops := c.Stops
		if c.Stopped {
			stops += "!"
		}
		got := fmt.Sprintf("%s %s %s %s %d", c.Session, c.Polls(), stops, status, c.Exit)
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
