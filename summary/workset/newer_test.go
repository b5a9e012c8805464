package workset

import (
	"fmt"
	"strings"
	"testing"
)

// numberedLines returns lines of content: "line 0 of it", "line 1 of it", …
func numberedLines(from, to int) (lines []string) {
	for i := from; i < to; i++ {
		lines = append(lines, fmt.Sprintf("line %d of it", i))
	}
	return lines
}

// What newer texts show, replace or delete leaves older blocks of the same file.
func TestWhatNewerTextsLeave(t *testing.T) {
	ten := numberedLines(0, 10)
	text := strings.Join(ten, "\n")
	at := func(path string, src source) []source {
		src.Path, src.At = path, 9
		return []source{src}
	}
	for name, c := range map[string]struct {
		newer []source
		want  string // the lines that are left, "|" between blocks
	}{
		"nothing":                   {nil, text},
		"of another file":           {at("b.go", source{Block: Block{}, gone: text}), text},
		"of an unknown file":        {at("", source{gone: text}), text},
		"seven of ten again":        {at("a.go", source{lines: ten[3:]}), text},
		"eight of ten again":        {at("a.go", source{lines: ten[2:]}), ""},
		"again, indented":           {at("a.go", source{lines: indented(ten)}), ""},
		"a whole file, without any": {at("a.go", source{whole: true}), ""},
		"two deleted": {at("a.go", source{gone: ten[4] + "\n" + ten[5]}),
			strings.Join(ten[:4], "\n") + "|" + strings.Join(ten[6:], "\n")},
		"two deleted and written again": {
			at("a.go", source{gone: ten[4] + "\n" + ten[5], lines: ten[4:6]}), text},
		"one of two deleted": {at("a.go", source{gone: ten[4] + "\n" + ten[5], lines: ten[4:5]}),
			strings.Join(ten[:5], "\n") + "|" + strings.Join(ten[6:], "\n")},
		"a part of a line": {at("a.go", source{gone: "ne 4 of it"}),
			strings.Join(ten[:4], "\n") + "|" + strings.Join(ten[5:], "\n")},
		"a part of a line that newer text has": {append(at("a.go", source{lines: ten[4:5]}),
			at("a.go", source{gone: "ne 4 of it"})...), text},
		"a part without content":     {at("a.go", source{gone: "4 of it"}), text},
		"a part, in an unknown file": {at("", source{gone: "ne 4 of it"}), text},
		"two lines as a run": {at("a.go", source{before: ten[4] + "\n" + ten[5],
			lines: []string{ten[4], "another"}}),
			strings.Join(ten[:5], "\n") + "|" + strings.Join(ten[6:], "\n")},
		"two others as a run":      {at("a.go", source{before: ten[4] + "\nanother one"}), text},
		"a run in an unknown file": {at("", source{before: ten[4] + "\n" + ten[5]}), text},
	} {
		var n newerLines
		for i := range c.newer {
			n.addLines(&c.newer[i])
		}
		left := n.left([]Block{{Path: "a.go", At: 1, Lines: ten}})
		var got []string
		for i := range left {
			got = append(got, strings.Join(left[i].Lines, "\n"))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var n newerLines
	n.addLines(&source{Block: Block{Path: "a.go"}, whole: true})
	if left := n.left([]Block{{Lines: ten}}); len(left) != 1 {
		t.Error("lines of no file are left out, since another file was written")
	}
}

func indented(lines []string) (more []string) {
	for _, l := range lines {
		more = append(more, "\t"+l)
	}
	return more
}

// A text that replaces a short one may have changed older blocks that contain it.
func TestShortReplacementsTouchBlocks(t *testing.T) {
	block := Block{Path: "a.go", At: 3, Lines: []string{"limit: max: 10, and more of it"}}
	for name, c := range map[string]struct {
		path, before string
		at, want     int
	}{
		"it":                 {"a.go", "max: 10", 5, 5},
		"of another file":    {"b.go", "max: 10", 5, 0},
		"of no file":         {"", "max: 10", 5, 0},
		"another":            {"a.go", "max: 11", 5, 0},
		"before the block":   {"a.go", "max: 10", 2, 0},
		"of its own message": {"a.go", "max: 10", 3, 0},
		"not short":          {"a.go", "max: 10, and more", 5, 0},
	} {
		var n newerLines
		n.addLines(&source{Block: Block{Path: c.path, At: c.at}, before: c.before})
		if left := n.left([]Block{block}); len(left) != 1 || left[0].Touched != c.want {
			t.Errorf("%s: %+v, want touched by %d", name, left, c.want)
		}
	}
}

// A block is touched by the first change after it that may have changed its lines. A change that
// may not have been made replaces nothing.
func TestFirstChangeThatTouchesABlock(t *testing.T) {
	block := Block{Path: "a.go", At: 3, Lines: numberedLines(0, 3)}
	left := func(command string, done bool, touched int) string {
		b := block
		b.Touched = touched
		s := new(talk).says("Go on.").call("bash", "", "command", command).source(t)
		var n newerLines
		n.addChanges(&s.Calls[0], done)
		got := ""
		for _, b := range n.left([]Block{b}) {
			got += fmt.Sprint(b.Touched)
		}
		return got
	}
	for name, c := range map[string]struct {
		command string
		done    bool
		touched int
		want    string
	}{
		"changed":                        {"sed -i s/a/b/ a.go", true, 0, "2"},
		"changed before":                 {"sed -i s/a/b/ a.go", true, 1, "1"},
		"deleted":                        {"rm a.go", true, 0, ""},
		"deleted, as far as it was done": {"rm a.go", false, 0, "2"},
		"another":                        {"rm b.go", true, 0, "0"},
	} {
		if got := left(c.command, c.done, c.touched); got != c.want {
			t.Errorf("%s: touched by %q, want %q", name, got, c.want)
		}
	}
}

// Of what is remembered of a file there are limits, since each block is compared with all of it.
func TestLimitsOfNewerTexts(t *testing.T) {
	var n newerLines
	for i := range 2 * maxParts {
		n.addLines(&source{Block: Block{Path: "a.go"}, gone: fmt.Sprint("part of line ", i)})
		n.addLines(&source{Block: Block{Path: "a.go"},
			before: strings.Join(numberedLines(i, i+2), "\n")})
	}
	if f := &n.files[0]; len(f.parts) != maxParts || len(f.runs) != maxParts {
		t.Errorf("%d parts and %d runs, want %d each", len(f.parts), len(f.runs), maxParts)
	}
	var long newerLines
	for range 3 {
		long.addLines(&source{Block: Block{Path: "a.go"},
			before: strings.Join(numberedLines(0, maxRunLines/2), "\n")})
	}
	if f := &long.files[0]; len(f.runs) != 2 || f.inRuns != maxRunLines {
		t.Errorf("%d runs of %d lines, want 2 of %d", len(f.runs), f.inRuns, maxRunLines)
	}
}

// Of equal blocks of one text the last is kept.
func TestEqualBlocksOfOneText(t *testing.T) {
	part := strings.Join(numberedLines(0, maxLines), "\n") + "\n"
	src := source{Block: Block{Path: "a.go", At: 1}, first: 1}
	src.setLines(part + strings.Join(numberedLines(50, 50+maxLines), "\n") + "\n" + part)
	var n newerLines
	got := ""
	for _, b := range n.addSource(&src) {
		got += fmt.Sprint(" ", b.First)
	}
	if want := fmt.Sprint(" ", 2*maxLines+1, " ", maxLines+1); got != want {
		t.Errorf("blocks that begin at lines%s, want%s", got, want)
	}
}
