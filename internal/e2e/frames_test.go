package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What records say of commands in the forms of the agents' packages is derived again without the
// code that reads them.
func TestFormsOfAgentsAreGrounded(t *testing.T) {
	const (
		members = "Output: compiling\nno rule to make it\nError: (none)\nExit Code: 2\n" +
			"Signal: (none)\nProcess Group PGID: 9"
		hint = "\n\nNote: this foreground command ran for 75s. Next time, pass `is_background`."
	)
	forms := []form{
		{"run_shell_command", "Command: make\nDirectory: (root)\n" + members + hint,
			"exit code 2; it returned: compiling no rule to make it"},
		{"run_shell_command", "Command timed out after 900ms before it could complete. Below is " +
			"the output before it timed out:\ncompiling\nlinking now",
			"it returned: compiling linking now"},
		{"run_shell_command", "Output: compiling\nError: a rule is missing\nExit Code: 3\n" +
			"Process Group PGID: 9", "exit code 3; it returned: compiling Error: a rule is " +
			"missing"},
		{"bash", "compiling\nstopped half way\n\nCommand aborted",
			"reported an error; it returned: compiling stopped half way"},
		{"bash", "compiling\nat the end\n\nCommand terminated without an exit code",
			"reported an error; it returned: compiling at the end"},
		{"Bash", "Error executing tool Bash: Error (exit code 128): fatal: not a repository",
			"exit code 128; it returned: fatal: not a repository"},
		{"bash", "compiling\nin the box\n<shellId: 3 completed with exit code 4>\n" +
			"<sandbox is active for make>", "exit code 4; it returned: compiling in the box"},
		{"bash", "compiling\nunfinished\n\n<shell_metadata>\nUser aborted the command\n" +
			"</shell_metadata>", "reported an error; it returned: compiling unfinished"},
		{"shell_command", "Wall time: 8.9 seconds\naborted by user", "reported an error"},
		{"run_terminal_command", "exit: 3\ncompiling\nout of rules",
			"exit code 3; it returned: compiling out of rules"},
		{"run_terminal_command", "exit: 0 [truncated: showing first/last 19.6 KB of 75.9 KB - " +
			"full output at: /h/1.log]\na\n\n... (output truncated) ...\n\nb\nall of it",
			"exit code 0; last line: all of it"},
		{"run_terminal_command", "exit: killed (signal 9)\nno memory left",
			"reported an error; it returned: no memory left"},
		{"exec", "compiling\nno such rule\n\n(Command exited with code 6)",
			"exit code 6; it returned: compiling no such rule"},
		{"exec", "/bin/bash: line 3: makes: command not found\n\nCommand not found",
			"exit code 127; it returned: /bin/bash: line 3: makes: command not found"},
		{"exec", "compiling\nit takes long\n\nCommand timed out after 2 seconds.\n\nThe command " +
			"was terminated, but external side effects may already have completed.\n\nIf it " +
			"should keep running, start it with exec background=true.",
			"reported an error; it returned: compiling it takes long"},
		{"exec", `{"status":"error","tool":"exec","error":"It is not allowed."}`,
			"reported an error"},
		{"exec", "compiling\nit was stopped\n\nCommand aborted by signal SIGTERM",
			"reported an error; it returned: compiling it was stopped"},
		{"execute", "compiling\nno such target\n\nExit code: 2\n[Command failed with exit code 2]",
			"exit code 2; it returned: compiling no such target"},
		{"execute", "compiling\nall targets are built\n\n[Command succeeded with exit code 0]",
			"exit code 0; it returned: compiling all targets are built"},
		{"execute", "compiling\nit is not there\n[Command failed with exit code 1]\n[Output was " +
			"truncated due to size limits]", "exit code 1; it returned: compiling it is not there"},
		{"bash", `{"stdout":"compiling\nit has no rule\n","stderr":"","exitCode":2}`,
			"exit code 2; it returned: compiling it has no rule"},
		{"run_shell_command", "<untrusted_context>\nOutput: compiling\nno rule for it\n" +
			"Exit Code: 2\nProcess Group PGID: 9\n</untrusted_context>",
			"exit code 2; it returned: compiling no rule for it"},
	}
	// A record lists eight failed calls at most.
	for group := range slices.Chunk(forms, 6) {
		checkForms(t, group)
	}
	checkForms(t, []form{ // Node's message names the command
		{"bash", "Command failed: Command failed: make target0\nno rule for it",
			"it returned: Command failed: Command failed: make target0 no rule for it"},
		{"run_command", "Command failed: make target1\nit is broken",
			"it returned: Command failed: make target1 it is broken"},
		{"run_command", "Command failed: make target\nit is fine",
			") → Command failed: make target it is fine"},
		{"run_command", `{"error":{"name":"Error","message":"gone","__serialized":true}}`,
			"make target3) → reported an error"},
	})
}

// form is a result in the form of an agent, and what a record says of it.
type form struct{ tool, result, says string }

// checkForms has calls with these results folded, and checks the record.
func checkForms(t *testing.T, forms []form) {
	t.Helper()
	calls, says := []calledTool{}, map[string]bool{}
	for i, f := range forms {
		args := fmt.Sprintf(`{"command":"make target%d","description":"Build it."}`, i)
		calls = append(calls, calledTool{f.tool, args, f.result})
		says[f.says] = true
	}
	c := balanced()
	between(4000, 1500)(&c)
	checkRecord(t, c, withCalls(t, calls, 4,
		strings.Repeat("Each target is built on its own, and what it prints is read. ", 60),
		map[string]any{"role": "system", "content": "You are an agent."},
		map[string]any{"role": "user", "content": "Build each of the targets."}), says)
}
