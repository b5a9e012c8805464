package workset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// An edit may replace a text that is too short to find the line by. The older lines are shown with
// the message of that edit, until the file is read again.
func TestShortReplacementsAreNoted(t *testing.T) {
	const values = "replicas: 6\npool:\n  max: 10\n  idle: 30s # of each\nhost: ledger.example"
	const file = "a/values.yaml"
	shown := func(at int, text, note string) string {
		return fmt.Sprintf("%s message %d, from line 1%s: %s", file, at, note,
			strings.ReplaceAll(text, "\n", "; "))
	}
	const noted = ", before message 3, which may have changed the file"
	read := func() *talk { return new(talk).call("read", values, "path", file) }
	edit := func(c *talk, path, old string) *talk {
		return c.call("edit", "done", "path", path, "old", old, "new", "n: 1")
	}
	newer := strings.Replace(values, "10", "25", 1)
	for name, c := range map[string]struct {
		talk *talk
		want string
	}{
		"a part of a line": {edit(read(), file, "max: 10"), shown(1, values, noted)},
		"a whole line":     {edit(read(), file, "  max: 10\n"), shown(1, values, noted)},
		"by another path":  {edit(read(), "/home/"+file, "max: 10"), shown(1, values, noted)},
		"short lines":      {edit(read(), file, "pool:\n  max: 10"), shown(1, values, noted)},
		"lines of Windows": {edit(read(), file, "pool:\r\n  max: 10"), shown(1, values, noted)},
		"the first of two": {edit(edit(read(), file, "max"), file, "30s"), shown(1, values, noted)},
		"not in these":     {edit(read(), file, "max: 11"), shown(1, values, "")},
		"of another file":  {edit(read(), "b/values.yaml", "max: 10"), shown(1, values, "")},
		"that failed": {read().call("edit", "Error: not found", "path", file, "old", "max: 10",
			"new", "max: 25"), shown(1, values, "")},
		"read again": {edit(read(), file, "max: 10").call("read", newer, "path", file),
			shown(5, newer, "")},
	} {
		for _, folds := range [][]int{nil, {2}} {
			got := labels(c.talk.pool(t, folds...).Blocks)
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("%s, folds at %v:\n%q, want\n%q", name, folds, got, c.want)
			}
		}
		s, to := c.talk.source(t), len(c.talk.msgs)
		after := &Unfolded{From: 2, To: to, Calls: s.CallsBefore(to)[1:], Sent: s.SafeOutput}
		got := labels(read().pool(t).Choose(s, after, 1000))
		if want := []string{c.want}; name != "read again" && !slices.Equal(got, want) {
			t.Errorf("%s, not folded:\n%q, want\n%q", name, got, want)
		}
	}
}

// Edits of one call are not compared with the lines of each other.
func TestShortReplacementsOfOneCall(t *testing.T) {
	c := new(talk).made("multi_edit", `{"path":"a.go","edits":[`+
		`{"old":"6","new":"replicas: 70 # for the sales"},{"old":"s","new":"z"}]}`, "done")
	want := []string{"a.go written in message 1: replicas: 70 # for the sales"}
	if got := labels(c.pool(t).Blocks); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Past a number of short texts, the first edit that is not compared counts as one of any text.
func TestShortReplacementsAreBounded(t *testing.T) {
	c := new(talk).call("read", handler, "path", "a/refund.go")
	for i := range maxParts + 9 {
		c.call("edit", "done", "path", "a/refund.go", "old", fmt.Sprint("x", i), "new", "y")
	}
	got := labels(c.pool(t).Blocks)
	if len(got) != 1 || !strings.Contains(got[0], "before message 3, which may have changed") {
		t.Errorf("%q", got)
	}
}

// A call that writes a part of a file, and does not spell out what it replaced, may have replaced
// older lines. One that only adds lines has not.
func TestPartsOfFilesAreWritten(t *testing.T) {
	const text, code = "package a // read", "func B() int { return 2 } // new"
	const maybe = ", before message 3, which may have changed the file"
	for _, c := range []struct{ tool, args, note string }{
		{"append_file", `"content":"` + code + `"`, ""},
		{"insert_content", `"line":2,"content":"` + code + `"`, ""},
		{"str_replace_editor", `"command":"insert","insert_line":1,"new_str":"` + code + `"`, ""},
		{"NotebookEdit", `"edit_mode":"insert","new_source":"` + code + `"`, ""},
		{"NotebookEdit", `"cell_id":"c1","new_source":"` + code + `"`, maybe},
		{"edit_file", `"start_line":1,"end_line":2,"content":"` + code + `"`, maybe},
	} {
		talk := new(talk).call("read", text+"\nfunc A() int { return 1 }", "path", "a.go").
			made(c.tool, `{"path":"a.go",`+c.args+"}", "done")
		want := []string{"a.go written in message 3: " + code,
			"a.go message 1, from line 1" + c.note + ": " + text + "; func A() int { return 1 }"}
		if got := labels(talk.pool(t).Blocks); !slices.Equal(got, want) {
			t.Errorf("%s with %s: %q, want %q", c.tool, c.args, got, want)
		}
	}
	whole := new(talk).call("read", text, "path", "a.go").
		call("write_file", "done", "path", "a.go", "content", code)
	want := []string{"a.go written in message 3, from line 1: " + code}
	if got := labels(whole.pool(t).Blocks); !slices.Equal(got, want) {
		t.Errorf("the whole file: %q, want %q", got, want)
	}
}
