package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// scriptMessages returns a call of Codex's tool for scripts, and its result in the parts that Codex
// sends.
func scriptMessages(t testing.TB, source string, texts ...string) []view.Message {
	t.Helper()
	input, _ := json.Marshal(source)
	var parts []string
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		parts = append(parts, `{"type":"text","text":`+string(quoted)+`}`)
	}
	var msgs []view.Message
	for _, raw := range []string{
		`{"role":"assistant","tool_calls":[{"id":"c1","type":"custom","custom":` +
			`{"name":"exec","input":` + string(input) + `}}]}`,
		`{"role":"tool","tool_call_id":"c1","content":[` + strings.Join(parts, ",") + `]}`,
	} {
		m, err := chat.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}

const (
	completed = "Script completed\nWall time 0.1 seconds\nOutput:\n"
	failed    = "Script failed\nWall time 0.1 seconds\nOutput:\n"
	running   = "Script running with cell ID 7\nWall time 1.0 seconds\nOutput:\n"
	command   = `const r = await tools.exec_command({cmd: "go test ./..."}); `
	twoReads  = `const rs = await Promise.all([tools.exec_command({cmd: "cat a.go"}),
  tools.exec_command({cmd: "sed -n 5,9p b.go"})]); `
	value     = `{"chunk_id":"7a","wall_time_seconds":0.2,"exit_code":3,"output":"FAIL\n"}`
	patchText = "*** Begin Patch\\n*** Update File: a.go\\n@@\\n-old()\\n+new()\\n*** End Patch\\n"
)

// The scripts and results have the shape of those that Codex 0.169 sent and received.
func TestScripts(t *testing.T) {
	for _, test := range []struct {
		name, source string
		texts        []string
		want         string // of each call: what it is, how it ended and what it printed
	}{
		{"a command", command + "text(r.output);", []string{completed, "ok\n"},
			`exec_command go test ./... unknown "ok\n"`},
		{"a command in one text", command + "text(r.output);", []string{completed + "\nok\n"},
			`exec_command go test ./... unknown "ok\n"`},
		{"a command without output", command + "text(r.output);", []string{completed},
			`exec_command go test ./... unknown ""`},
		{"the value of a command", command + "text(r);", []string{completed, value},
			`exec_command go test ./... failed 3 "FAIL\n"`},
		{"the value of a command as JSON", command + "text(JSON.stringify(r))",
			[]string{completed, value}, `exec_command go test ./... failed 3 "FAIL\n"`},
		{"an exit code beside the output", command + "text(r.output); text(r.exit_code);",
			[]string{completed, "ok\n", "0"}, `exec_command go test ./... ok 0 "ok\n"`},
		{"a part of the output", command + "text(r.output.slice(-9))", []string{completed, "ok\n"},
			`exec_command go test ./... unknown "ok\n" loose`},
		{"an output between words", command + `text("tests:"); text(r.output);`,
			[]string{completed, "tests:", "ok\n"}, `exec_command go test ./... unknown "ok\n"`},
		{"a patch", `text(await tools.apply_patch("` + patchText + `"));`,
			[]string{completed, "{}"}, `apply_patch update:a.go ok "{}"`},
		{"a patch that failed", `text(await tools.apply_patch("` + patchText + `"));`,
			[]string{failed, "Script error:\napply_patch verification failed: no such lines"},
			`apply_patch update:a.go failed ` +
				`"Script error:\napply_patch verification failed: no such lines"`},
		{"a patch that was refused", `text(await tools.apply_patch("` + patchText + `"));`,
			[]string{failed, "Script error:\npatch rejected by user"},
			`apply_patch update:a.go refused "Script error:\npatch rejected by user"`},
		{"a patch whose failure is caught",
			`try { text(await tools.apply_patch("` + patchText + `")) } catch (e) { text(e) }`,
			[]string{completed, "apply_patch verification failed: no such lines"},
			`exec  unknown "apply_patch verification failed: no such lines"`},
		{"a script with a mistake", command + "text(r.output",
			[]string{failed, "Script error:\nSyntaxError: missing ) after argument list"},
			`exec  failed "Script error:\nSyntaxError: missing ) after argument list"`},
		{"a tool that is not there", command + "text(r.output)",
			[]string{failed, "Script error:\nTypeError: tools.exec_command is not a function\n" +
				"    at exec_main.mjs:1:23"},
			`exec  failed "Script error:\nTypeError: tools.exec_command is not a function\n` +
				`    at exec_main.mjs:1:23"`},
		{"a failure that may be of another statement", command + "text(JSON.parse(r.output))",
			[]string{failed, "Script error:\nSyntaxError: Unexpected token"},
			`exec  failed "Script error:\nSyntaxError: Unexpected token"`},
		{"a script that goes on", command + "text(r.output);", []string{running},
			`exec_command go test ./... unknown ""`},
		{"two at once", twoReads + "for (const r of rs) text(r.output);",
			[]string{completed, "package a\n", "func b() {\n"},
			"exec  unknown \"package a\\n\\nfunc b() {\\n\"\n" +
				"exec_command cat a.go unknown \"package a\\n\" shows a.go:1\n" +
				"exec_command sed -n 5,9p b.go unknown \"func b() {\\n\" shows b.go:5"},
		{"two at once, one without output", twoReads + "for (const r of rs) text(r.output);",
			[]string{completed, "package a\n"},
			"exec  unknown \"package a\\n\"\nexec_command cat a.go unknown \"\"\n" +
				"exec_command sed -n 5,9p b.go unknown \"\""},
		{"two at once that were cut", twoReads + "for (const r of rs) text(r.output);",
			[]string{completed, "Warning: truncated output (original token count: 9)\n\na\n\nb"},
			"exec  unknown \"Warning: truncated output (original token count: 9)\\n\\na" +
				"\\n\\nb\"\n" +
				"exec_command cat a.go unknown \"\"\nexec_command sed -n 5,9p b.go unknown \"\""},
		{"two at once, one of which failed", twoReads + "for (const r of rs) text(r.output);",
			[]string{failed, "Script error:\nno such folder"},
			`exec  failed "Script error:\nno such folder"`},
		{"a command and another under a condition",
			command + `if (r.exit_code) text(await tools.apply_patch("` + patchText + `"));`,
			[]string{completed, "{}"},
			"exec  unknown \"{}\"\nexec_command go test ./... unknown \"\""},
		{"a list of tasks", `await tools.update_plan({plan: [{step: "a", status: "pending"}]})`,
			[]string{completed}, `update_plan  unknown "" loose`},
		{"another tool's failure", `text(await tools.mcp__a__b({q: "x"}))`,
			[]string{completed, `{"isError":true,"content":[]}`},
			`mcp__a__b  failed "{\"isError\":true,\"content\":[]}"`},
		{"a loop", `for (const f of ["a", "b"]) text(await tools.exec_command({cmd: f}))`,
			[]string{completed, "a", "b"}, `exec  unknown "a\nb"`},
		{"not a script's result", command + "text(r.output);", []string{"aborted by user"},
			`exec  unknown "aborted by user"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := ReadAll(scriptMessages(t, test.source, test.texts...))
			var lines []string
			for i := range read.Calls {
				lines = append(lines, callLine(read, &read.Calls[i]))
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s", test.source, got, test.want)
			}
			if c := &read.Calls[read.Answered(1)]; c.Made().Name != "exec" {
				t.Errorf("the result answers %s, want exec", c.Made().Name)
			}
		})
	}
}

// callLine describes a call that was made in TestScripts.
func callLine(t *Transcript, c *Call) string {
	what := c.Command
	if c.Name == "exec" {
		what = "" // the script
	}
	for _, p := range c.Paths {
		what += p.Patch + ":" + p.Name
	}
	status := []string{"unknown", "ok", "failed", "refused"}[c.Status]
	if c.Exit >= 0 {
		status += fmt.Sprint(" ", c.Exit)
	}
	line := fmt.Sprintf("%s %s %s %q", c.Name, what, status, t.Output(c, t.Text(c.Result)))
	if c.loose {
		line += " loose"
	}
	if shown := c.Shows(); shown.Lines && c.Via != nil && !c.Alone() {
		line += fmt.Sprintf(" shows %s:%d", strings.Join(shown.Paths, " "), shown.First)
	}
	return line
}

// A result that was truncated has no parts.
func TestOutputOfACutResult(t *testing.T) {
	read := ReadAll(scriptMessages(t, twoReads+"for (const r of rs) text(r.output);", completed,
		"package a\n", "func b() {\n"))
	if got := read.Output(&read.Calls[1], "[shortened]"); got != "" {
		t.Errorf("%q is said to be printed by a call whose part of the result is not known", got)
	}
}

// The content of a file, or the input of a tool that runs nothing, is not read as a script.
func TestProgramsThatAreNoScripts(t *testing.T) {
	for tool, arguments := range map[string]string{
		"write_file": `{"path":"a.js","content":"await tools.apply_patch('x')"}`,
		"note":       `{"input":"await tools.exec_command({cmd: 'rm -r /'})"}`,
		"bash":       `{"command":"await tools.exec_command({cmd: 'rm -r /'})"}`,
	} {
		if c := calling(t, tool, arguments, completed); c.Name != tool || c.Via != nil {
			t.Errorf("%s(%s) was read as %s", tool, arguments, c.Name)
		}
	}
}

// Calls of the same command are repetitions, whatever script makes them.
func TestScriptsThatRepeat(t *testing.T) {
	first := scriptMessages(t, command+"text(r.output);", completed, "FAIL")
	second := scriptMessages(t, `// again
text((await tools.exec_command({cmd: 'go test ./...', yield_time_ms: 500})).output)`, completed)
	a, b := ReadAll(first).Calls[0], ReadAll(second).Calls[0]
	if a.Key() != b.Key() {
		t.Errorf("%q and %q, want the same key", a.Key(), b.Key())
	}
}

func BenchmarkScripts(b *testing.B) {
	for name, source := range map[string]string{
		"command": command + "text(r.output);",
		"three": `const results = await Promise.all([` + strings.Repeat(
			`tools.exec_command({cmd: "git log --oneline -12", workdir: "/home/a/b"}), `, 3) +
			`]); for (const r of results) text(r.output);`,
		"patch of 20 KB": "text(await tools.apply_patch(`*** Begin Patch\n*** Add File: a.go\n" +
			strings.Repeat("+\tif err != nil { return err }\n", 700) + "*** End Patch\n`));",
	} {
		b.Run(name, func(b *testing.B) {
			msgs := scriptMessages(b, source, completed, "ok")
			made := msgs[0].ToolCalls()[0]
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				if c := NewCall(made, 0); c.script == nil && c.Via == nil {
					b.Fatal("no script")
				}
			}
		})
	}
}

// FuzzScripts checks that the calls of a script share its result, that none claims an output that
// is not in it, and that nothing depends on how often they are read.
func FuzzScripts(f *testing.F) {
	f.Add(command+"text(r.output);", completed, "ok", "")
	f.Add(twoReads+"for (const r of rs) text(r.output);", completed, "package a", "func b() {")
	f.Add(twoReads+"rs.forEach(r => text(JSON.stringify(r)))", completed, value, value)
	f.Add(`text(await tools.apply_patch("`+patchText+`"))`, failed, "Script error:\nx", "")
	f.Add(command+"text(r.exit_code); text(r.output)", completed, "1", "\xff")
	f.Add(command+"text(r)", running, "", "Output:")
	f.Fuzz(func(t *testing.T, source, frame, first, second string) {
		msgs := scriptMessages(t, source, frame, first, second)
		read := ReadAll(msgs)
		if at := read.Answered(1); at != 0 || read.Calls[0].Made().Name != "exec" {
			t.Fatalf("the result answers call %d, want 0", at)
		}
		text := msgs[1].Text()
		for i := range read.Calls {
			c := &read.Calls[i]
			if c.Result != 1 || c.Caller != 0 || i > 0 && c.Via == nil {
				t.Fatalf("call %d is made in %d and answered in %d", i, c.Caller, c.Result)
			}
			output := read.Output(c, text)
			if !c.encoded && !strings.Contains(text, output) {
				t.Fatalf("%q is not in the result %q", output, text)
			}
			if again := read.Output(c, text); again != output {
				t.Fatalf("%q, and then %q", output, again)
			}
		}
	})
}
