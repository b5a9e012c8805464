package preview

import (
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/rawjson"
	"killick/transcript"
	"killick/view"
)

// callNamed is a call as it is read from a conversation.
func callNamed(name, args string) *transcript.Call {
	c := transcript.NewCall(
		view.ToolCall{Name: name, Arguments: rawjson.Value(chattest.Quote(args))},
		0,
	)
	return &c
}

func TestKeyLinesAreShown(t *testing.T) {
	noise := strings.Repeat("compiling something\n", 40)
	run := func(command string) *transcript.Call {
		return callNamed("bash", chattest.Object("command", command))
	}
	for _, c := range []struct {
		name string
		text string
		of   *transcript.Call
		want []string
	}{
		{"a run that failed: its errors and its end", noise + "main.go:7: error: x\n" +
			noise + "FAIL shop 0.1s\nexit status 1\n",
			run("go test ./..."), []string{
				"main.go:7: error: x", "FAIL shop 0.1s", "exit status 1",
			}},
		{
			"a run that passed: its end", noise + "ok shop 0.1s\n\n", run("make"),
			[]string{"ok shop 0.1s"},
		},
		{
			"a listing: its head and tail",
			"a.go\nb.go\n" + strings.Repeat("c.go\n", 200) + "z.go\n", run("ls -1 src"),
			[]string{"a.go", "b.go", "z.go"},
		},
		{
			"a tool that lists", "a.go\n" + strings.Repeat("c.go\n", 200) + "z.go",
			callNamed("list_files", `{"path":"src"}`), []string{"a.go", "c.go", "z.go"},
		},
		{
			"a file that is read says most by its names", strings.Repeat("func f() {}\n", 100),
			callNamed("read_file", `{"path":"a.go"}`), nil,
		},
		{
			"a log: the last line that states an error",
			strings.Repeat(`{"level":"info","msg":"x"}`+"\n", 40) +
				`{"level":"error","msg":"a"}` + "\n" + `{"level":"info","msg":"error"}`,
			run("tail -n 99 app.log"), []string{`{"level":"error","msg":"a"}`},
		},
		{
			"a log that a command printed, with a level above error",
			strings.Repeat(`{"level":"info","msg":"x"}`+"\n", 40) +
				`{"level":"fatal","msg":"a"}` + "\n" + `{"level":"info","msg":"done"}`,
			run("kubectl logs web"),
			[]string{`{"level":"fatal","msg":"a"}`, `{"level":"info","msg":"done"}`},
		},
		{
			"a log of plain text",
			strings.Repeat("03:04:05.678 [main] INFO app -- ready\n", 40) +
				"03:04:05.678 [main] ERROR app -- no room\n03:04:06.789 [main] INFO app -- up",
			run("tail -n 99 app.log"), []string{"03:04:05.678 [main] ERROR app -- no room"},
		},
		{
			"a file that quotes lines of logs",
			"# Logs\n" + strings.Repeat("level=error msg=x\n", 40), run("cat logs.md"), nil,
		},
		{
			"a command that prints a file: not its end, and no errors",
			`import "errors"` + strings.Repeat("\nfunc f() error {\n}", 50),
			run("sed -n '1,99p' a.go"), nil,
		},
		{
			"an end without words", noise + "╷\n│ Error: no such argument\n╵\n",
			run("terraform plan"), []string{"│ Error: no such argument"},
		},
		{
			"a report: its first line and its last",
			"\n{\nDone. It was the fuse.\n" + noise + "It cost 4 €.\n",
			callNamed("Task", `{"prompt":"mend the oven"}`),
			[]string{"Done. It was the fuse.", "It cost 4 €."},
		},
		{
			"a log: how the job stands now",
			"step=0 loss=3.2\n" + noise + "step=2050 loss=nan, aborting\n",
			callNamed("get_logs", `{"run":"a6e3f7"}`),
			[]string{"step=0 loss=3.2", "step=2050 loss=nan, aborting"},
		},
		{
			"a page: its title, and its last line", "# Opening hours\n" + noise + "```\n",
			callNamed("fetch", `{"id":7}`),
			[]string{"# Opening hours", "compiling something"},
		},
		{
			"a report with a heading: what follows it", "## src/pages\n\n14 use it.\n" +
				noise, callNamed("Task", `{"prompt":"mend the oven"}`),
			[]string{"## src/pages", "14 use it.", "compiling something"},
		},
		{
			"an object: its members", `{"id":7,"ok":true,"ref":"SVC-901","log":["` +
				strings.Repeat("step ", 90) + `"]}`,
			callNamed("add_service", `{"id":7}`), []string{"ok: true; ref: SVC-901; log: […]"},
		},
		{
			"a report on one line: nothing, since it would be cut", strings.Repeat("x ", 500),
			callNamed("Task", `{"prompt":"mend the oven"}`), nil,
		},
		{
			"lines that are too long are cut", strings.Repeat("x ", 5000), run("make"),
			[]string{strings.Repeat("x ", 38) + "[…] " + strings.Repeat("x ", 18) + "x"},
		},
		{
			"no line begins another", "ok\u2028## Files\x1b[2J", run("make"),
			[]string{"ok ## Files"},
		},
	} {
		if got := KeyLines(c.text, c.of, MaxKeyLines); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := KeyLines(noise+"ok\n", run("make"), 1); len(got) != 0 {
		t.Errorf("without room: got %q", got)
	}
}
