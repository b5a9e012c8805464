package workset

import (
	"fmt"
	"strings"
	"testing"
)

// The lines of a text that an edit keeps at both ends were not replaced.
func TestRunsOfReplacedLines(t *testing.T) {
	const first, second, third = "first := read(path)", "second := parse(first)", "return second"
	longest := first + "\n" + strings.Repeat("x", maxText-len(first))
	text := func(lines ...string) string { return strings.Join(lines, "\n") }
	for name, c := range map[string]struct {
		text string
		by   []string
		want string // the lines [from, to), "" if it is no run
	}{
		"all":                  {text(first, second), []string{third}, "0 2"},
		"by nothing":           {text(first, second), nil, "0 2"},
		"the second":           {text(first, second), []string{first, third}, "1 2"},
		"the first":            {text(first, second), []string{third, second}, "0 1"},
		"the one in between":   {text(first, second, third), []string{first, third}, "1 2"},
		"indented otherwise":   {text("\t"+first, second), []string{"  " + first, third}, "1 2"},
		"none":                 {text(first, second), []string{first, second}, ""},
		"none, and lines more": {text(first, second), []string{first, second, third}, ""},
		"more of the same": {text(second, second), []string{second, second, second, second,
			second}, ""},
		"fewer of the same": {text(second, second, second), []string{second, second},
			"2 3"},
		"one line":               {second + " // of it", []string{third}, ""},
		"one line and a newline": {second + " // of it\n", []string{third}, ""},
		"too little":             {"a := 1\nb := 22", []string{third}, ""},
		"just enough":            {"a := 1234567\nb := 7654321", []string{third}, "0 2"},
		"a byte less":            {"a := 123456\nb := 7654321", []string{third}, ""},
		"as long as possible":    {longest[1:], nil, "0 2"},
		"too long":               {longest, nil, ""},
	} {
		r, ok := runOf(c.text, c.by)
		got := ""
		if ok {
			got = fmt.Sprint(r.from, r.to)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Lines match a run where they are the same, with parts of lines at its ends, and where enough of
// them have content.
func TestLinesOfARun(t *testing.T) {
	r := run{lines: []string{"read(path)", "second := parse(first)", "}", "return second"}, to: 4}
	for name, c := range map[string]struct {
		lines    string // separated by ;
		first    int
		same     bool
		compared int
	}{
		"all of it": {"read(path);second := parse(first);};return second", 0, true, 4},
		"parts of lines at its ends": {
			"first := read(path);second := parse(first);};return second // ok", 0, true, 4},
		"another beginning":     {"first := read(other);second := parse(first)", 0, false, 1},
		"another line":          {"read(path);second := parse(other)", 0, false, 2},
		"a part, not at an end": {"read(path);the second := parse(first);}", 0, false, 2},
		"more, not at an end":   {"read(path);second := parse(first) // ok", 0, false, 2},
		"the end alone":         {"return second", 3, false, 1},
		"two lines at the end":  {"};return second", 2, false, 2},
		"two with content":      {"read(path);second := parse(first)", 0, true, 2},
		"another end":           {"};return first", 2, false, 2},
		"in between":            {"second := parse(first);};return second", 1, true, 3},
	} {
		same, compared := r.matches(strings.Split(c.lines, ";"), c.first)
		if same != c.same || compared != c.compared {
			t.Errorf("%s: %t after %d lines, want %t after %d", name, same, compared, c.same,
				c.compared)
		}
	}
	whole := run{lines: []string{"{", "return second", "}"}, to: 3}
	if same, _ := whole.matches(whole.lines, 0); !same {
		t.Error("a whole run with one line of content does not match itself")
	}
	braces := run{lines: []string{"{", "}"}, to: 2}
	if same, _ := braces.matches(braces.lines, 0); same {
		t.Error("braces match")
	}
}
