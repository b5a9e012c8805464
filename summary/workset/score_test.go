package workset

import (
	"fmt"
	"slices"
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// What is known of a block and its file comes from the conversation and from the pool.
func TestSignalsOfBlocks(t *testing.T) {
	conversation := new(talk).says("Mend it.")
	for range 20 {
		conversation.call("bash", "ok", "command", "true")
	}
	conversation.msgs = append(conversation.msgs, chattest.Says(view.Assistant, "Now src/b.go."))
	conversation.says("And src/c.go?")
	end := len(conversation.msgs)
	files := []File{{Path: "src/a.go", Asked: 2, Changes: 3, Used: 8000, Changed: 7000},
		{Path: "src/b.go", Used: 9000, Changed: -1}}
	p := &Pool{Request: 30, Files: files, Blocks: []Block{
		{Path: "src/a.go", At: 31, Place: 6000},
		{Path: "src/b.go", At: 31, Place: 9000, Written: true},
		{Path: "src/b.go", At: 30, Place: 9000, Part: true},
		{Path: "src/c.go", At: 31, Place: 9000},
		{At: 31, Place: 9000},
	}}
	s := conversation.source(t)
	r := newRanking(s, p, end)
	want := []signals{
		{age: 500*end - 6000, asked: 2, changes: 3, changed: 500*end - 7000},
		{written: true, age: 500*end - 9000, changed: -1, named: true, expected: true},
		{part: true, age: 500*end - 9000, changed: -1, named: true},
		{age: 500*end - 9000, changed: -1, expected: true},
		{age: 500*end - 9000, changed: -1},
	}
	table := newFileTable(slices.Clone(files))
	for i := range p.Blocks {
		if got := r.signals(&p.Blocks[i], table, p.Request); got != want[i] {
			t.Errorf("block %d: got %+v, want %+v", i, got, want[i])
		}
		if r.worths[i] != want[i].worth() {
			t.Errorf("block %d is worth %d, want %d", i, r.worths[i], want[i].worth())
		}
	}
}

// Only what the assistant said and called within the newest tokens names a file.
func TestRecentNames(t *testing.T) {
	for ago, want := range map[int]bool{1: true, 12: true, 13: false} {
		msgs := []string{chattest.Says(view.User, "src/b.go"),
			chattest.Says(view.Assistant, "src/a.go")}
		for len(msgs) < 2+ago-1 {
			msgs = append(msgs, chattest.Says(view.User, "src/b.go"))
		}
		r := newRanking((&talk{msgs}).source(t), &Pool{Blocks: make([]Block, 1)}, len(msgs))
		if r.recent["a.go"] != want || r.recent["b.go"] {
			t.Errorf("a message %d messages ago: %v, want a.go: %t", ago, r.recent, want)
		}
	}
}

// The blocks that are worth most come first; equal ones keep their order.
func TestOrderOfBlocks(t *testing.T) {
	r := &ranking{worths: []int{3, 9, -4, 9, 3}}
	if got := fmt.Sprint(r.order()); got != "[1 3 0 4 2]" {
		t.Errorf("got %s", got)
	}
}

// Calls count as uses of the files that they read or write, if they did so.
func TestUsesOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		tool, result string
		args         []string
		want         string
	}{
		"read": {"Read", "text of it", []string{"file_path", "a.go"}, "{a.go 0 0 500 -1}"},
		"written": {"Write", "done", []string{"file_path", "a.go", "content", "b"},
			"{a.go 0 1 500 500}"},
		"written by a command": {"Bash", "", []string{"command", "echo b > a.go"},
			"{a.go 0 1 500 500}"},
		"perhaps written by a command": {"Bash", "", []string{"command", "test x || echo b > a.go"},
			""},
		"deleted": {"Bash", "", []string{"command", "rm a.go"}, ""},
		"shown by a command": {"Bash", "text", []string{"command", "cat a.go"},
			"{a.go 0 0 500 -1}"},
		"shown of an earlier commit": {"Bash", "text", []string{"command", "git show HEAD~1:a.go"},
			""},
		"shown on another host": {"Bash", "text", []string{"command", "cat a.go", "host", "db1"},
			""},
		"printed about it": {"Bash", "3 a.go", []string{"command", "wc -l a.go"}, ""},
		"not read":         {"Read", `{"error":"no such file"}`, []string{"file_path", "a.go"}, ""},
	} {
		conversation := new(talk).says("Go on.").call(c.tool, c.result, c.args...)
		s := conversation.source(t)
		end := len(conversation.msgs)
		p := Extend(s, nil, s.CallsBefore(end), 0, end, plenty)
		got := ""
		for _, f := range p.Files {
			got += fmt.Sprint(f)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What persons name counts for its file, and the newest message is the request.
func TestFilesThatPersonsName(t *testing.T) {
	conversation := new(talk).says("Mend src/a.go.").call("Read", handler, "file_path", "src/a.go").
		says("And src/a.go again, and src/b.go.")
	p := conversation.pool(t)
	if got := fmt.Sprint(p.Files); got != "[{src/a.go 2 0 500 -1} {src/b.go 1 0 -1 -1}]" ||
		p.Request != 4 {
		t.Errorf("files %s, request %d", got, p.Request)
	}
	if p = conversation.says("Well?").pool(t, 4); p.Request != 5 || len(p.Files) != 2 {
		t.Errorf("after another fold: files %v, request %d", p.Files, p.Request)
	}
}
