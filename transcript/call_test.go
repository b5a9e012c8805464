package transcript

import (
	"fmt"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/transcript/partial"
)

func calling(t testing.TB, tool, arguments, result string, members ...string) Call {
	t.Helper()
	return ReadAll(chattest.Called(t, tool, arguments, result, members...)).Calls[0]
}

func TestEffects(t *testing.T) {
	for _, tc := range []struct {
		tool, arguments string
		effect          Effect
		paths           string // each as effect:patch:name
	}{
		// Tools in other languages, by the shapes of their arguments.
		{"lies_datei", `{"pfad":"src/haupt.go"}`, Reads, "1::src/haupt.go"},
		{"lies_datei", `{"pfad":"src/haupt"}`, Other, ""},
		{"ecrire", `{"fichier":"a.txt","texte":"a\nb"}`, Writes, "2::a.txt"},
		{"kirjoita", `{"nimi":"muistio.txt","rivit":"a\nb"}`, Writes, "2::muistio.txt"},

		// A call that forwards another one, and one that only looks like it.
		{"tool_call", `{"name":"edit_notebook","arguments":{"path":"a.ipynb","new_source":"x"}}`,
			Writes, "2::a.ipynb"},
		{"tool_call", `{"name":"web_fetch","arguments":{"url":"x"},"why":"src/a.go"}`, Reads,
			"1::src/a.go"},

		{"developer__text_editor", `{"command":"write","path":"a.go","file_text":"x"}`, Writes,
			"2::a.go"},
		{"Read", `{"file_path":"/a/b.go","offset":3}`, Reads, "1::/a/b.go"},
		{"read_files", `{"files":[{"path":"a.go","start_line":1},{"path":"Makefile"}]}`, Reads,
			"1::a.go 1::Makefile"},
		{"Edit", `{"file_path":"/a/b.go","old_string":"x/y.go","new_string":"z"}`, Writes,
			"2::/a/b.go"},
		{"edit", `{"path":"a.go","edits":[{"oldText":"b.go","newText":"c.go"}]}`, Writes,
			"2::a.go"},
		{"Write",
			`{"file_path":"a.txt","content":"*** Begin Patch\n*** Add File: b.go\n*** End Patch"}`,
			Writes, "2::a.txt"},
		{"mcp__filesystem__write_file", `{"path":"a.txt","content":"b"}`, Writes, "2::a.txt"},
		{"move_file", `{"source":"a.txt","destination":"b/c.txt"}`, Writes, "3::a.txt 2::b/c.txt"},
		{"copy_file", `{"source":"a.txt","destination":"b/c.txt"}`, Writes, "1::a.txt 2::b/c.txt"},
		{"delete_file", `{"path":"a.txt"}`, Deletes, "3::a.txt"},
		{"str_replace_based_edit_tool", `{"command":"view","path":"/a.go"}`, Reads, "1::/a.go"},
		{"str_replace_based_edit_tool", `{"command":"create","path":"/a.go","file_text":"x"}`,
			Writes, "2::/a.go"},
		{"str_replace_based_edit_tool",
			`{"command":"str_replace","path":"/a.go","old_str":"x","new_str":"y"}`, Writes,
			"2::/a.go"},
		{"apply_patch",
			`{"input":"*** Begin Patch\n*** Add File: a.go\n+x\n*** Update File: b.go\n*** Move ` +
				`to: c.go\n@@\n-x\n*** Delete File: d.go\n*** End Patch"}`, Writes,
			"2:add:a.go 3:move:b.go 2:move:c.go 3:delete:d.go"},
		{"apply_patch",
			`{"patchText":"--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n--- a/b.go\n+++ ` +
				`/dev/null\n@@ -1 +0 @@\n-x\n--- /dev/null\n+++ b/c.go\n@@ -0 +1 @@\n+x"}`, Writes,
			"2:update:a.go 3:delete:b.go 2:add:c.go"},
		{"shell",
			`{"command":["apply_patch","*** Begin Patch\n*** Update File: a.go\n*** End Patch"]}`,
			Runs, "2:update:a.go"},

		{"exec_command", `{"cmd":"cat a.go","workdir":"/w"}`, Runs, ""},
		{"todo_write", `{"todos":[{"content":"a/b.go","status":"pending"}]}`, Other, ""},
		{"book_reservation", `{"origin":"JFK","destination":"SEA","cabin":"economy"}`, Other, ""},
		{"fetch_pr", `{"repo":"entireio/cli","pr":53}`, Other, ""},
		{"get_time", `{"zone":"America/New_York"}`, Other, ""},
		{"lookup", `{"code":"HAT136"}`, Other, ""},
		{"send", `{"to":"mia@example.com","site":"example.com"}`, Other, ""},
		{"ask", `{"framework":"Node.js","version":"1.2.x"}`, Other, ""},
		{"mcp__tickets__create", `{"title":"Refund","priority":"high"}`, Other, ""},
		{"records.delete", `{"id":42}`, Other, ""},
		{"think", `{}`, Other, ""},
		{"think", ``, Other, ""},
		{"read", `{"path":"a\nb.go"}`, Other, ""},
		{"read", `{"path":"a\u0085# Heading"}`, Other, ""},
		{"read", `{"path":"https://example.com/a.go"}`, Other, ""},

		// Names of tools that read, list and search files, for something else and for files.
		{"open", `{"url":"https://example.com/"}`, Other, ""},
		{"mail__read", `{"id":"M1004"}`, Other, ""},
		{"view", `{"city":"Πειραιάς","nights":1}`, Other, ""},
		{"list", `{"name":"خرید","action":"add"}`, Other, ""},
		{"find", `{"from":"Πειραιάς","to":"Νάξος"}`, Other, ""},
		{"search", `{"query":"עמלת תיווך"}`, Other, ""},
		{"search", `{"pattern":"fee"}`, Reads, ""},
		{"find", `{"pattern":"*.go"}`, Reads, ""},
		{"Grep", `{"pattern":"fee","output_mode":"content"}`, Reads, ""},
		{"codebase_search", `{"query":"where are fees computed?"}`, Reads, ""},
		{"list_files", `{"recursive":true}`, Reads, ""},
		{"list", `{}`, Reads, ""},
	} {
		c := calling(t, tc.tool, tc.arguments, "")
		var paths []string
		for _, p := range c.Paths {
			paths = append(paths, fmt.Sprintf("%d:%s:%s", p.Effect, p.Patch, p.Name))
		}
		if got := strings.Join(paths, " "); c.Effect != tc.effect || got != tc.paths {
			t.Errorf("%s %s: effect %d, paths %q, want %d, %q", tc.tool, tc.arguments, c.Effect,
				got, tc.effect, tc.paths)
		}
		if c.Effect == Other && (c.Lists() || c.ChangesNothing()) {
			t.Errorf("%s %s: it is taken for a search of files", tc.tool, tc.arguments)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, tc := range []struct{ tool, arguments, command string }{
		{"Bash", `{"command":" go test ./... ","description":"Run"}`, "go test ./..."},
		{"exec_command", `{"cmd":"rg x","workdir":"/w"}`, "rg x"},
		{"shell", `{"command":["bash","-lc","go test\t./..."]}`, "go test\t./..."},
		{"shell", `{"command":["git","status"]}`, "git status"},
		{"exec", `{"input":"const r = await tools.exec_command({cmd: \"ls\"})"}`,
			`const r = await tools.exec_command({cmd: "ls"})`},
		{"exec", `text("x")`, `text("x")`},
		{"run_commands", `{"commands":["go vet","go test"]}`, "go vet; go test"},
		{"python", `{"code":"print(1)"}`, "print(1)"},
		{"create_file", `{"path":"a.py","code":"print(1)"}`, ""},
		{"light", `{"command":"on"}`, "on"},
	} {
		if c := calling(t, tc.tool, tc.arguments, ""); c.Command != tc.command {
			t.Errorf("%s %s: command %q, want %q", tc.tool, tc.arguments, c.Command, tc.command)
		}
	}
}

func TestArgumentsAreDecodedOnce(t *testing.T) {
	c := calling(t, "Edit", `{"old_string":"\tlogCtx := 1","n":12,"deep":[{"on":true}]}`, "")
	want := []Argument{{"old_string", "\tlogCtx := 1", true}, {"n", "12", false},
		{"deep.0.on", "true", false}}
	if fmt.Sprint(c.Args) != fmt.Sprint(want) {
		t.Errorf("arguments %+v, want %+v", c.Args, want)
	}
	if strings.Contains(c.Decoded(), `\t`) {
		t.Errorf("decoded arguments %q hold an escape", c.Decoded())
	}
}

func TestKeys(t *testing.T) {
	key := func(tool, arguments string) string {
		c := calling(t, tool, arguments, "")
		return c.Key()
	}
	if key("Bash", `{"command":"npx playwright test --project=webkit"}`) ==
		key("Bash", `{"command":"npx playwright test --project=firefox"}`) {
		t.Error("two commands with the same first words have one key")
	}
	if key("Bash", `{"command":"make","timeout":1}`) !=
		key("Bash", `{"command":"make","timeout":2}`) {
		t.Error("a time-out makes another command")
	}
	for _, tool := range []string{"bash", "Run_Command"} {
		if key(tool, `{"command":"deploy","mode":"sync"}`) !=
			key(tool, `{"command":"deploy","mode":"async"}`) {
			t.Errorf("how %s waits makes another command", tool)
		}
	}
	for _, tool := range []string{"mcp__fleet__run", "deployer", "fleet.run"} {
		if key(tool, `{"command":"deploy","mode":"dry"}`) ==
			key(tool, `{"command":"deploy","mode":"production"}`) {
			t.Errorf("two modes of %s have one key", tool)
		}
	}
	if key("exec_command", `{"cmd":"make","workdir":"/a"}`) == key("exec_command",
		`{"cmd":"make","workdir":"/b"}`) {
		t.Error("the same command in two folders has one key")
	}
}

func TestOpen(t *testing.T) {
	run := func(command, result string) Call {
		return calling(t, "exec_command", `{"cmd":"`+command+`"}`, result)
	}
	const good, bad, runs = "Wall time: 1 seconds\nProcess exited with code 0\nOutput:\n",
		"Wall time: 1 seconds\nProcess exited with code 1\nOutput:\n",
		"Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n"
	for _, tc := range []struct {
		name  string
		calls []Call
		open  bool
	}{
		{"alone", []Call{run("t", bad)}, true},
		{"succeeded later", []Call{run("t", bad), run("t", good)}, false},
		{"failed again", []Call{run("t", bad), run("t", bad)}, true},
		{"another succeeded", []Call{run("t --a", bad), run("t --b", good)}, true},
		{"still runs", []Call{run("t", bad), run("t", runs)}, false},
	} {
		if got := Open(tc.calls)[0]; got != tc.open {
			t.Errorf("%s: open %v, want %v", tc.name, got, tc.open)
		}
	}
}

func TestStubs(t *testing.T) {
	for text, want := range map[string]bool{
		// Claude Code 2.1.330
		"Wasted call — file unchanged since your last Read. Refer to that earlier tool_result " +
			"instead.": true,
		"File unchanged since last read. The content from the earlier Read tool_result in this " +
			"conversation is still current — refer to that instead of re-reading.": true,
		"<system-reminder>This file is already in your context</system-reminder>": true,
		// qwen-code
		"[File a.go unchanged since last read in this session — the full content was provided " +
			"earlier in this conversation.]": true,
		"File unchanged since last read. Refer to it.\n\n<system-reminder>\n" +
			strings.Repeat("Use the tools. ", 90) + "</system-reminder>": true,
		"package a // unchanged since your last Read":                               false,
		"[File mode changed]":                                                       false,
		"File unchanged since last read\n" + strings.Repeat("line of a file\n", 60): false,
		"": false,
	} {
		msgs := chattest.Called(t, "Read", `{"path":"a.go"}`, text)
		if got := partial.IsStub(&msgs[len(msgs)-1]); got != want {
			t.Errorf("%.60q is a stub: %v, want %v", text, got, want)
		}
	}
}
