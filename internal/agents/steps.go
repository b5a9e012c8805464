package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
)

// step is what the scripted model does in one turn: one thing, in no agent's words.
type step struct {
	n      int
	kind   string // kindRead, kindEdit, kindShell or kindSearch
	file   string // read or edited, relative to the project
	before string // what an edit replaces
	after  string // what it puts there
	text   string // the command of a shell, what is searched for
	// want stands in the result. Empty: nothing is expected.
	want string
	// fails is set if the command ends with an exit code other than 0.
	fails bool
}

const (
	kindRead   = "read"
	kindEdit   = "edit"
	kindShell  = "shell"
	kindSearch = "search"
)

// cycle is how many steps there are before the next file's turn.
const cycle = 8

// stepsAt returns what is done in turn n, counted from 1: one step, or two at once, in one command
// where the agent makes no parallel calls.
func stepsAt(n int, parallel bool) []step {
	round := (n - 1) / cycle
	file := sourceName(round)
	edits := round / projectFiles // how often this file was edited in earlier rounds
	subject := subjects[round%projectFiles]
	switch (n - 1) % cycle {
	case 0:
		return []step{read(n, round)}
	case 1:
		return []step{{n: n, kind: kindSearch, text: "rule " + fmt.Sprint((round*11)%97) + " of",
			want: "rule"}}
	case 2:
		return []step{{n: n, kind: kindEdit, file: file, before: revision(file, edits),
			after: revision(file, edits+1)}}
	case 3:
		fails := (edits+1)%2 == 0
		verdict := "PASS " + file
		if fails {
			verdict = "FAIL " + file
		}
		return []step{{n: n, kind: kindShell, text: "sh check.sh " + file, want: verdict,
			fails: fails}}
	case 4:
		return []step{read(n, round+9)}
	case 5:
		other := sourceName(round + 9)
		return []step{{n: n, kind: kindShell, text: "sh check.sh " + other, want: other + ": ",
			fails: (round+9)/projectFiles%2 == 0}}
	case 6:
		return []step{{n: n, kind: kindShell,
			text: fmt.Sprintf("grep -n '%s' src/*.go | head -30; echo turn %d done", subject, n),
			want: fmt.Sprintf("turn %d done", n)}}
	}
	first, second := read(n, round+5), step{n: n, kind: kindShell,
		text: fmt.Sprintf("wc -c src/*.go && echo turn %d done", n),
		want: fmt.Sprintf("turn %d done", n)}
	if !parallel {
		second.text = asShell(first) + "; " + second.text
		return []step{second}
	}
	return []step{first, second}
}

func read(n, k int) step {
	return step{n: n, kind: kindRead, file: sourceName(k),
		want: "the " + subjects[k%projectFiles] + " part."}
}

// call is a call of a tool.
type call struct {
	id        string
	name      string
	namespace string // of a tool on /v1/responses, "" if it has none
	arguments string // JSON, the input of a custom tool, the command or the patch of a hosted one
	custom    bool
	hosted    string // the type of a hosted tool's call on /v1/responses, "" for other tools
	path      string // of the file that a hosted tool patches
}

// dialect makes a call of a step, with the tools and the names that an agent has. dir is the
// project.
type dialect func(s step, dir string) call

func withJSON(name string, arguments map[string]any) call {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return call{name: name, arguments: string(raw)}
}

// patch is an edit as apply_patch takes it.
func patch(s step) string {
	return fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n",
		s.file, s.before, s.after)
}

// asShell returns the command that does a step where there is no tool for it.
func asShell(s step) string {
	switch s.kind {
	case kindRead:
		return "cat " + s.file
	case kindSearch:
		return fmt.Sprintf("grep -rn '%s' src", s.text)
	case kindEdit:
		return fmt.Sprintf("sed -i 's|^%s$|%s|' %s", s.before, s.after, s.file)
	}
	return s.text
}

func claudeCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("Read", map[string]any{"file_path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("Edit", map[string]any{"file_path": filepath.Join(dir, s.file),
			"old_string": s.before, "new_string": s.after})
	}
	return withJSON("Bash", map[string]any{"command": asShell(s),
		"description": "Look at the sources"})
}

func codexCalls(s step, _ string) call {
	if s.kind == kindEdit {
		return call{name: "apply_patch", arguments: patch(s), custom: true}
	}
	return withJSON("exec_command", map[string]any{"cmd": asShell(s)})
}

// codexScriptCalls are calls of the tool that runs JavaScript, the only one that newer models get,
// in the forms that recorded sessions have: one call, several at once, the value of a call as JSON.
func codexScriptCalls(s step, _ string) call {
	// Unlike JSON of encoding/json, this leaves & and > as they are. The texts are ASCII, without
	// the few characters that Go escapes in other ways than JavaScript.
	command := "tools.exec_command({cmd: " + strconv.Quote(asShell(s)) + "})"
	script := "const r = await " + command + ";\ntext(r.output);"
	switch s.kind {
	case kindEdit:
		script = "text(await tools.apply_patch(" + strconv.Quote(patch(s)) + "));"
	case kindSearch:
		script = "const results = await Promise.all([\n  " + command + ",\n" +
			"  tools.exec_command({cmd: \"ls src\"})\n]);\nfor (const r of results) text(r.output);"
	case kindShell:
		script = "const r = await " + command + ";\ntext(JSON.stringify(r));"
	}
	return call{name: "exec", namespace: "functions", arguments: script, custom: true}
}

func opencodeCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read", map[string]any{"filePath": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("edit", map[string]any{"filePath": filepath.Join(dir, s.file),
			"oldString": s.before, "newString": s.after})
	case kindSearch:
		return withJSON("grep", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("bash", map[string]any{"command": s.text, "description": "Look at the sources"})
}

// opencodePatchCalls are those for OpenAI's models, which get apply_patch and no edit.
func opencodePatchCalls(s step, dir string) call {
	if s.kind == kindEdit {
		return withJSON("apply_patch", map[string]any{"patchText": patch(s)})
	}
	return opencodeCalls(s, dir)
}

func copilotCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("view", map[string]any{"path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("edit", map[string]any{"path": filepath.Join(dir, s.file),
			"old_str": s.before, "new_str": s.after})
	case kindSearch:
		return withJSON("grep", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src"), "output_mode": "content"})
	}
	return withJSON("bash", map[string]any{"command": s.text, "description": "Look at the sources"})
}

// copilotPatchCalls are those for OpenAI's models.
func copilotPatchCalls(s step, dir string) call {
	c := copilotCalls(s, dir)
	switch s.kind {
	case kindEdit:
		return call{name: "apply_patch", arguments: patch(s), custom: true}
	case kindSearch:
		c.name = "rg"
	}
	return c
}
