package results_test

import (
	"strings"
	"testing"
)

const (
	mastraShell = "mastra_workspace_execute_command"

	kimiError      = "<system>ERROR: Tool execution failed.</system>"
	kimiEmptyError = "<system>ERROR: Tool execution failed. Tool output is empty.</system>"
	thrownEnd      = "\n Please fix your mistakes."
	notAllowed     = "The user doesn't want to proceed with this tool use."
)

// The forms of results in the packages of the agents: how a call ended, and what it printed.
func TestFormsOfAgents(t *testing.T) {
	const (
		qwen = "Command: make\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 2\n" +
			"Signal: (none)\nProcess Group PGID: 9"
		hint = "\n\nNote: this foreground command ran for 75s. Next time you run a similar " +
			"long-running process, pass `is_background: true`."
		warning = "\n\nAI attribution note skipped: `git notes add` exited 1. Co-authored-by " +
			"trailer is unaffected."
		copilot     = "a\nb\n<shellId: 3 completed with exit code 4>"
		clawTimeout = "Command timed out after 2 seconds.\n\nThe command was terminated, but " +
			"external side effects may already have completed. Verify the state.\n\nIf it " +
			"should keep running, start it with exec background=true."
		clawKilled = "Command aborted by signal SIGKILL\n\nOpenClaw selected its Linux OOM-score " +
			"wrapper, which attempts to set this child's oom_score_adj to 1000."
		clawRunning = "Command still running (session faint-kelp, pid 2584). Use process " +
			"(list/poll/log) for follow-up."
		sandbox = "\n<this failure may be caused by the active sandbox policy. Rerun it outside.>"
	)
	for name, c := range map[string]struct {
		tool, result, output string
		status               Status
		exit                 int
	}{
		"qwen-code, long": {"run_shell_command", qwen + hint, "a\nb", Failed, 2},
		"qwen-code, with a warning": {"run_shell_command", qwen + hint + warning, "a\nb", Failed,
			2},
		"qwen-code, too long": {"run_shell_command", "Command timed out after 120000ms before " +
			"it could complete. Below is the output before it timed out:\na\nb", "a\nb", Failed,
			-1},
		"qwen-code, stopped": {"run_shell_command", "Command was cancelled by user before it " +
			"could complete. There was no output before it was cancelled.", "", Failed, -1},
		"gemini-cli, stopped": {"run_shell_command", "<untrusted_context>\nCommand was " +
			"cancelled by user before it could complete. Below is the output before it was " +
			"cancelled:\na\nb\n</untrusted_context>", "a\nb", Failed, -1},
		"gemini-cli, too long": {"run_shell_command", "Command was automatically cancelled " +
			"because it exceeded the timeout of 5.0 minutes without output. Below is the " +
			"output before it was cancelled:\na", "a", Failed, -1},
		"gemini-cli, an error printed last": {"run_shell_command", "Output: a\nError: no rule\n" +
			"Exit Code: 2\nProcess Group PGID: 9", "a\nError: no rule", Failed, 2},
		"Kimi Code": {"Bash", "Wall time: 0.175 seconds\n" + kimiError + "\na\nb\nCommand failed " +
			"with exit code: 3.", "a\nb\n", Failed, 3},
		"Kimi Code, long": {"Bash", "Wall time: 0.175 seconds\n" + kimiError + "\na\nCommand " +
			"failed with exit code: 3.\n\ntask_id: bash-1\noutput_size_bytes: 9\nnext_step: Use " +
			"TaskOutput(task_id=\"bash-1\") to query the task output.", "a\n", Failed, 3},
		"Kimi Code, nothing printed": {"Bash", "Wall time: 0.1 seconds\n" + kimiError + "\n" +
			"Process exited with code 3\nCommand failed with exit code: 3.",
			"Process exited with code 3\n", Failed, 3},
		"Kimi Code, too long": {"Bash", "Wall time: 5.0 seconds\n" + kimiError + "\na\n" +
			"Command killed by timeout (5s)", "a\nCommand killed by timeout (5s)", Failed, -1},
		"BeeAI": {"run", "ToolError: Tool \"run\" has occurred an error!\n    Error: FAIL\nb",
			"    Error: FAIL\nb", Failed, -1},
		"BeeAI's words": {"run", "ToolError: Tool \"run\" is slow\nb",
			"ToolError: Tool \"run\" is slow\nb", Unknown, -1},
		"Letta Code, too long": {"ShellCommand", "Command timed out", "", Failed, -1},
		"Letta Code, its own": {"ShellCommand", "Command timed out\na", "Command timed out\na",
			Unknown, -1},
		"LangChain":    {"run", "Error: a\nb" + thrownEnd, "Error: a\nb", Failed, -1},
		"pi, stopped":  {"bash", "a\nb\n\nCommand aborted", "a\nb", Failed, -1},
		"pi, at once":  {"bash", "Command aborted", "", Failed, -1},
		"pi, too long": {"bash", "a\n\nCommand timed out after 5 seconds", "a", Failed, -1},
		"pi, by a signal": {"bash", "a\n\nCommand terminated without an exit code", "a", Failed,
			-1},
		"OpenClaw": {"exec", "a\nb\n\n(Command exited with code 3)", "a\nb\n\n", Failed, 3},
		"OpenClaw, nothing printed": {"exec", "(no output)\n\n(Command exited with code 1)",
			"(no output)\n\n", Failed, 1},
		"OpenClaw, no such command": {"exec", "line 3: x: command not found\n\nCommand not found",
			"line 3: x: command not found\n\n", Failed, 127},
		"OpenClaw, no program": {"exec", "Command not executable (permission denied)", "", Failed,
			126},
		"OpenClaw, too long": {"exec", "a\n\n" + clawTimeout, "a", Failed, -1},
		"OpenClaw, silent":   {"exec", clawTimeout, "", Failed, -1},
		"OpenClaw, stopped":  {"exec", "a\n\nCommand aborted by signal SIGTERM", "a", Failed, -1},
		"OpenClaw, memory":   {"exec", "a\n\n" + clawKilled, "a", Failed, -1},
		"OpenClaw, lost": {"exec", "Command aborted before exit code was captured", "", Failed,
			-1},
		"OpenClaw, it runs on": {"exec", clawRunning, "", Unknown, -1},
		"Continue": {"Bash", "Error executing tool Bash: Error (exit code 128): fatal: not a git " +
			"repository\nb", "fatal: not a git repository\nb", Failed, 128},
		"Continue, too long": {"Bash", "a\n\n[Command timed out after 120 seconds of no output]",
			"a", Failed, -1},
		"opencode, too long": {"bash", "a\n\n<shell_metadata>\nshell tool terminated command " +
			"after exceeding timeout 9 ms.\n</shell_metadata>", "a", Failed, -1},
		"opencode, stopped": {"bash", "a\n\n<shell_metadata>\nUser aborted the command\n" +
			"</shell_metadata>", "a", Failed, -1},
		"Codex, stopped": {"shell_command", "Wall time: 8.9 seconds\naborted by user", "", Failed,
			-1},
		"Codex, stopped too": {"exec_command", "aborted by user after 2.5s", "", Failed, -1},
		"Codex, not started": {"exec_command", "exec_command failed for `make`: CreateProcess",
			"exec_command failed for `make`: CreateProcess", Failed, -1},
		"deepagents": {"execute", "a\nb\n\n[Command succeeded with exit code 0]", "a\nb\n", OK, 0},
		"deepagents, failed": {"execute", "a\nb\n[Command failed with exit code 2]", "a\nb", Failed,
			2},
		"deepagents, on the machine": {"execute", "a\nb\n\nExit code: 2\n[Command failed with " +
			"exit code 2]", "a\nb", Failed, 2},
		"deepagents, printed by the program": {"execute", "a\n\nExit code: 3\n[Command failed " +
			"with exit code 2]", "a\n\nExit code: 3", Failed, 2},
		"deepagents, cut": {"execute", "a\nb\n[Command succeeded with exit code 0]\n[Output was " +
			"truncated due to size limits]", "a\nb", OK, 0},
		"bash-tool": {"bash", `{"stdout":"a\nb\n","stderr":"","exitCode":0}`, "a\nb\n", OK, 0},
		"bash-tool, failed": {"bash", `{"stdout":"a\n","stderr":"b\n","exitCode":2}`, "a\nb\n",
			Failed, 2},
		"Mastra, failed": {mastraShell, "a\nb\n\nExit code: 2", "a\nb\n\n", Failed, 2},
		"Mastra, silent": {mastraShell, "Exit code: 2", "", Failed, 2},
		"Mastra, printed by the program": {mastraShell, "a\nExit code: 2", "a\nExit code: 2",
			Unknown, -1},
		"Mastra's line of another tool": {"bash", "a\n\nExit code: 2", "a\n\nExit code: 2",
			Unknown, -1},
		"Copilot CLI, in a sandbox": {"bash", copilot + sandbox, "a\nb\n", Failed, 4},
		"Cline, still running": {"run_commands", `[{"query":"make","result":"[Command is still ` +
			`running. Output will continue in /h/o.log]\na","success":true}]`,
			"[Command is still running. Output will continue in /h/o.log]\na\n", Unknown, -1},
		"Cline, a frame of another": {"run_commands", `[{"query":"make","result":"Exit code 2\n` +
			`a","success":true}]`, "Exit code 2\na\n", OK, -1},
	} {
		call := calling(t, c.tool, bashArgs, c.result)
		if call.Status != c.status || call.Exit != c.exit {
			t.Errorf("%s: status %d, exit code %d, want %d, %d", name, call.Status, call.Exit,
				c.status, c.exit)
		}
		if got := outputOf(t, c.tool, bashArgs, c.result); got != c.output {
			t.Errorf("%s: %q, want %q", name, got, c.output)
		}
	}
}

// A patch that was stopped did not change its files for certain.
func TestStoppedPatches(t *testing.T) {
	const patch = `{"input":"*** Begin Patch\n*** Update File: a\n"}`
	if c := calling(t, "apply_patch", patch, "aborted by user after 0.4s"); c.Status != Failed {
		t.Errorf("status %d, want failed", c.Status)
	}
}

// The same words in another place, of another tool or in a file that a command shows are output.
func TestOutputLikeForms(t *testing.T) {
	const cat = `{"command":"cat build.log"}`
	for result, tools := range map[string]string{
		"a\nCommand aborted":                              "bash",
		`{"stdout":"a","exitCode":2}`:                     "bash",
		`{"stdout":"a","stderr":"","exitCode":"2"}`:       "bash",
		`{"stdout":"a","stderr":"","exitCode":2,"job":7}`: "bash",
		`{"stdout":"a","stderr":"","exitCode":2}`:         "exec",
		"a\n[Command succeeded with exit code 0]":         "bash",
		"a\n[Command succeeded with exit code 0]\nb":      "execute",
		"a\n[Command succeeded with exit code 1]":         "execute",
		"a\n[Command failed with exit code 0]":            "execute",
		"a\nCommand exited with code 3":                   "bash",
		"a\n(Command exited with code 3)":                 "exec",
		"a\n\n(Command exited with code 3)":               "bash",
		"a\n\n(Command exited with code 3)\nb":            "exec",
		"a\nCommand not found":                            "exec",
		"a\n\nCommand timed out after 2 seconds.":         "exec bash",
		"a\n\nCommand aborted by signal SIGTERM\n\nb":     "exec",
		"Command still running (session a, pid 1). Use":   "bash",
		"a\n\nCommand aborted":                            "exec_command run_shell_command",
		"a\n\nCommand aborted\nb":                         "bash",
		"a\n\n[Command timed out after a while]":          "bash",
		"Wall time: 8.9 seconds\naborted by user":         "bash run_shell_command",
		"Wall time: 8.9 seconds\naborted by user\nb":      "shell_command",
		"Wall time: 8 seconds\nb\naborted by user":        "shell_command",
		"aborted by user after 2.5s":                      "bash",
		"aborted by user after 2.5s\nb":                   "exec_command",
		"exec_command failed for `make`":                  "bash",
		"Command was cancelled by user before it could a": "bash",
		"a\n<sandbox is active for make>":                 "bash",
		"Error (exit code 3): a":                          "run_shell_command",
	} {
		for tool := range strings.FieldsSeq(tools) {
			c := calling(t, tool, bashArgs, result)
			if got := outputOf(t, tool, bashArgs, result); c.Status != Unknown || got != result {
				t.Errorf("%s: status %d, output %q, want %q", tool, c.Status, got, result)
			}
		}
	}
	for tool, result := range map[string]string{
		"execute": "a\n\nExit code: 1\n[Command failed with exit code 1]",
		"bash":    "a\n<shellId: 3 completed with exit code 1>",
		"Bash":    `{"stdout":"a","stderr":"","exitCode":1}`,
	} { // every output ends so: it is no line of the file, and may be no statement
		c := calling(t, tool, cat, result)
		if got := strings.TrimSpace(outputOf(t, tool, cat, result)); c.Status != Unknown ||
			got != "a" {
			t.Errorf("%s of a file: status %d, output %q", tool, c.Status, got)
		}
	}
	for _, result := range []string{"a\n\nCommand aborted", "Error (exit code 3): a",
		"a\n\n[Command timed out after 120 seconds of no output]"} {
		c := calling(t, "bash", cat, result)
		if got := outputOf(t, "bash", cat, result); c.Status != Unknown || got != result {
			t.Errorf("a file: status %d, output %q, want %q", c.Status, got, result)
		}
	}
}

// Calls that the client's rules, or a person, did not let run.
func TestRefusalsOfAgents(t *testing.T) {
	for _, result := range []string{
		"Permission to use Bash with command make has been denied.",
		"Permission to edit /w/a.go has been denied.",
		"Permission for this action has been denied. Reason: a rule.",
		"Permission for this action was denied by the Claude Code auto mode classifier. Reason: a",
		"Claude requested permissions to use Bash, but you haven't granted it yet.",
		"Permission denied by host policy. Use an action permitted by the host policy.",
		"The pending permission request was cancelled before the tool could continue.",
		`Tool execution for "Shell" denied by policy.`,
		"User rejected the tool call for `bash` with id call_1",
		"Tool execution was not approved.",
	} {
		if c := calling(t, "bash", bashArgs, result); c.Status != Refused {
			t.Errorf("%q: status %d, want refused", result, c.Status)
		}
	}
	for _, result := range []string{
		"Permission to use, copy, modify and distribute this software is granted.",
		"Permission denied (publickey).",
		"Permission to a/b.git denied to c.",
		`Tool execution for "Shell" took 3 seconds.`,
	} {
		if c := calling(t, "bash", bashArgs, result); c.Status != Unknown {
			t.Errorf("%q: status %d, want unknown", result, c.Status)
		}
	}
}
