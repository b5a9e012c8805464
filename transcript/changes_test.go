package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"killick/internal/chattest"
)

// changesOf returns the changes of a call as text, with "?" after those that are not certain.
func changesOf(c *Call) (texts []string) {
	for _, by := range c.Changes() {
		text := by.Action + " " + by.Path
		if !by.Sure {
			text += "?"
		}
		texts = append(texts, text)
	}
	return texts
}

// Whether a command changed files depends on how the call ended, as its agent reports it.
func TestChangesOfCalls(t *testing.T) {
	claude := func(command, result string) Call {
		return calling(t, "Bash", chattest.Object("command", command), result)
	}
	codex := func(command string, code int) Call {
		return calling(t, "exec_command", chattest.Object("cmd", command, "workdir", "/r"),
			fmt.Sprintf("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code %d\n"+
				"Output:\n", code))
	}
	pi := func(command, result string) Call {
		return calling(t, "bash", chattest.Object("command", command), result)
	}
	script := func(source string, texts ...string) Call {
		made := ReadAll(scriptMessages(t, source, texts...)).Calls
		return made[len(made)-1]
	}
	running := calling(t, "exec_command", chattest.Object("cmd", "rm a.go"),
		"Chunk ID: 1\nWall time: 9.1 seconds\nProcess running with session ID 4\nOutput:\n")
	exec := func(command string) string {
		return "const r = await tools.exec_command({cmd: " + strconv.Quote(command) +
			"}); text(r);"
	}
	value := func(code int) string {
		return fmt.Sprintf(`{"wall_time_seconds":0.2,"exit_code":%d,"output":""}`, code)
	}
	for name, c := range map[string]struct {
		call Call
		want []string
	}{
		"Claude Code":         {claude("rm a.go", ""), []string{"delete a.go"}},
		"Claude Code, failed": {claude("rm a.go", "Exit code 1"), []string{"delete a.go?"}},
		"Claude Code, a list": {claude("cd x && rm a.go", ""), []string{"delete x/a.go"}},
		"Claude Code, a list that failed": {claude("cd x && rm a.go", "Exit code 1"),
			[]string{"delete x/a.go?"}},
		"Claude Code, a list with a search": {claude("rm a.go && grep -r a.go .", ""),
			[]string{"delete a.go?"}},
		"Claude Code, a list with a build": {claude("make && rm a.go", ""),
			[]string{"delete a.go?"}},
		"Claude Code, a copy instead": {claude("cp a.go /tmp/b.go && rm -f a.go", ""),
			[]string{"copy to /tmp/b.go", "delete a.go"}},
		"Claude Code, not let": {claude("rm a.go",
			"The user doesn't want to proceed with this tool use."), nil},
		"Claude Code, moved": {claude("git mv a.go b.go", ""),
			[]string{"move from a.go", "move to b.go"}},
		"Claude Code, background": {calling(t, "Bash",
			`{"command":"rm a.go","run_in_background":true}`, "x"), []string{"delete a.go?"}},
		"Codex":         {codex("git rm a.go", 0), []string{"delete /r/a.go"}},
		"Codex, failed": {codex("git rm a.go", 1), []string{"delete /r/a.go?"}},
		"Codex, a list": {codex("cd x && sed -i s/a/b/ a.go", 0),
			[]string{"edit /r/x/a.go"}},
		"Codex, a list that failed": {codex("gofmt -w a.go && go test", 1),
			[]string{"edit /r/a.go?"}},
		"Codex, the first of a list": {codex("rm a.go; ls", 0), []string{"delete /r/a.go?"}},
		"Codex, running":             {running, []string{"delete a.go?"}},
		"Codex, words": {calling(t, "shell", `{"command":["rm","a b.go"]}`,
			"Exit code: 0\nOutput:\n"), []string{"delete a b.go"}},
		"Codex, bash -lc": {calling(t, "shell", `{"command":["bash","-lc","rm a.go"]}`,
			"Exit code: 0\nOutput:\n"), []string{"delete a.go"}},
		"Codex, a script": {script(exec("rm a.go"), completed, value(0)),
			[]string{"delete a.go"}},
		"Codex, a script without a code": {script(`await tools.exec_command({cmd: "rm a.go"});`,
			completed), []string{"delete a.go?"}},
		"Codex, a script that failed": {script(exec("rm a.go"), failed,
			"Script error:\nTypeError: x\n    at exec_main.mjs:1:2"), []string{"delete a.go?"}},
		"Codex, a condition": {script(`if (x) { await tools.exec_command({cmd: "rm a.go"}) }`,
			completed), []string{"delete a.go?"}},
		"Codex, a loop": {script("for (const f of fs) {\n"+
			"  await tools.exec_command({cmd: `sed -i s/a/b/ x/${f} b.go`})\n}", completed),
			[]string{"edit b.go?"}},
		"Codex, a patch that may be made": {script("if (x) await tools.apply_patch(`*** Begin "+
			"Patch\n*** Delete File: a.go\n*** End Patch`)", completed), []string{"edit a.go?"}},
		"Codex, a patch": {calling(t, "apply_patch", chattest.Object("input", "*** Begin Patch\n"+
			"*** Delete File: a.go\n*** Update File: b.go\n*** Move to: c.go\n*** End Patch"), ""),
			[]string{"delete a.go", "delete b.go", "move to c.go"}},
		"Codex, a patch that failed": {calling(t, "apply_patch", chattest.Object("input",
			"*** Begin Patch\n*** Delete File: a.go\n*** End Patch"),
			"apply_patch verification failed: no such file"), nil},
		"pi": {pi("cp a.go b.go", ""), []string{"copy to b.go"}},
		"pi, failed": {pi("cp a.go b.go", "\n\nCommand exited with code 1"),
			[]string{"copy to b.go?"}},
		"pi, macOS":   {pi("sed -i '' 's/a/b/' a.go", ""), []string{"edit a.go"}},
		"pi, written": {pi("cat > a.go <<EOF\nx\nEOF", ""), []string{"write a.go"}},
		"a program in another language": {calling(t, "python",
			`{"code":"x > a.go"}`, "ok"), []string{"edit a.go?"}},
		"an edit": {calling(t, "edit", `{"path":"a.go","old_string":"x","new_string":"y"}`, "ok"),
			nil},
		"an edit taken back": {calling(t, "str_replace_editor",
			`{"command":"undo_edit","path":"a.go"}`, "undone"), []string{"edit a.go?"}},
		"an edit that is described": {calling(t, "edit_file",
			`{"target_file":"a.go","code_edit":"// ... existing code ..."}`, "ok"),
			[]string{"edit a.go?"}},
		"an edit that is only shown": {calling(t, "edit_file", `{"path":"a.go","dryRun":true,`+
			`"edits":[{"oldText":"x","newText":"y"}]}`, "ok"), nil},
		"a tool in no table": {calling(t, "rename_symbol",
			`{"path":"a.go","old":"f","new":"g"}`, "ok"), []string{"edit a.go?"}},
		"in a repository at a host": {calling(t, "delete_file",
			`{"owner":"x","repo":"y","path":"a.go"}`, "ok"), nil},
		"a program in a command": {calling(t, "Bash", `{"command":"python3 -c \"s = open('a.py')`+
			`.read(); open('src/b.py', 'w').write(s)\""}`, ""),
			[]string{"edit a.py?", "edit src/b.py?"}},
		"a program as input": {calling(t, "Bash", `{"command":"node - <<'EOF'\nfs.writeFileSync(`+
			`'src/a.ts', '\\n')\nEOF"}`, ""), []string{"edit src/a.ts?"}},
		"a shell of Windows": {calling(t, "powershell", `{"command":"(Get-Content C:\\a\\b.cs) | `+
			`Set-Content C:\\a\\b.cs"}`, ""), []string{`edit C:\a\b.cs?`}},
		"a shell of Windows under another name": {calling(t, "shell_command",
			`{"command":"Move-Item src\\a.cs .\\b.cs; echo a\\nb x\\d","workdir":"C:\\r"}`, ""),
			[]string{`edit src\a.cs?`, `edit .\b.cs?`}},
		"such a shell that only shows": {calling(t, "shell_command",
			`{"command":"Get-Content src\\a.cs | Select-String 'a(b)'"}`, ""), nil},
		"PowerShell that only shows": {calling(t, "PowerShell",
			`{"command":"Get-Content C:\\a\\b.cs"}`, ""), nil},
		"a program in a file": {calling(t, "Bash", `{"command":"python3 tools/gen.py a.go"}`, ""),
			nil},
		"gemini-cli, in a folder": {calling(t, "run_shell_command",
			`{"command":"git mv a.go b.go","dir_path":"x/y/"}`, "Output: \nExit Code: 0"),
			[]string{"move from x/y/a.go", "move to x/y/b.go"}},
		"a copy": {calling(t, "copy_file", `{"source":"a.go","destination":"b.go"}`, "ok"),
			[]string{"move to b.go"}},
		"a move": {calling(t, "move_file", `{"source":"a.go","destination":"b.go"}`, "ok"),
			[]string{"delete a.go", "move to b.go"}},
	} {
		if got := changesOf(&c.call); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Only what is given to a shell is read as a command of one.
func TestChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		tool, arguments string
		want            bool
	}{
		"a command":                {"bash", `{"command":"cat a.go | head"}`, true},
		"one that writes":          {"bash", `{"command":"cat a.go > b.go"}`, false},
		"a program":                {"shell", `{"command":["cat","a > b.go"]}`, true},
		"its arguments":            {"shell", `{"command":["sed","-i","p","a.go"]}`, false},
		"in a shell":               {"shell", `{"command":["bash","-lc","cat a.go"]}`, true},
		"a tool in no table":       {"my_terminal", `{"command":"cat a.go"}`, true},
		"another language":         {"python", `{"command":"type a"}`, false},
		"a tool that reads":        {"Read", `{"file_path":"a.go"}`, true},
		"a tool that writes":       {"Write", `{"file_path":"a.go","content":"x"}`, false},
		"a tool that lists":        {"Glob", `{"pattern":"*.go"}`, true},
		"a tool that nobody knows": {"place_order", `{"item":"a.go"}`, false},
	} {
		call := calling(t, c.tool, c.arguments, "x")
		if got := call.ChangesNothing(); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
