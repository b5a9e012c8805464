package workset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/transcript"
)

// Each case differs from an ordinary read in a single signal.
func TestWorth(t *testing.T) {
	plain := signals{age: 8000, changed: -1}
	for name, c := range map[string]struct {
		change func(s *signals)
		better bool
	}{
		"younger":              {func(s *signals) { s.age = 1000 }, true},
		"older":                {func(s *signals) { s.age = 60_000 }, false},
		"selected lines":       {func(s *signals) { s.part = true }, true},
		"named by the user":    {func(s *signals) { s.asked = 1 }, true},
		"named lately":         {func(s *signals) { s.named = true }, true},
		"read for the request": {func(s *signals) { s.expected = true }, true},
		"written":              {func(s *signals) { s.written = true }, true},
		"a file in the making": {func(s *signals) { s.changes, s.changed = 6, 9000 }, true},
		"changed once since":   {func(s *signals) { s.changes, s.changed = 1, 7000 }, false},
		"written once":         {func(s *signals) { s.changed = 9000 }, false},
		"written as it was":    {func(s *signals) { s.changes, s.changed = 3, 8000 }, true},
	} {
		s := plain
		c.change(&s)
		if better := s.worth() > plain.worth(); better != c.better {
			t.Errorf("%s: %d beside %d", name, s.worth(), plain.worth())
		}
	}
}

// A file that was written after its lines were shown makes them less likely to be needed.
func TestWorthOfLinesBeforeAWrite(t *testing.T) {
	since, before := signals{age: 8000, changed: 7999}, signals{age: 8000, changed: 8000}
	if less, more := since.worth(), before.worth(); more-less < 4*16-1 {
		t.Errorf("written since: %d; with them: %d", less, more)
	}
}

// chosen returns the blocks that are chosen from the first to messages of a conversation.
func chosen(t *testing.T, c *talk, to, tokens int, sent func(i int) string) []Block {
	t.Helper()
	s := c.source(t)
	calls := s.CallsBefore(to)
	if sent == nil {
		sent = s.Text
	}
	after := &Unfolded{From: to, To: len(c.msgs), Calls: s.Calls[len(calls):],
		Sent: func(c *transcript.Call) string { return sent(c.Result) }}
	return Extend(s, nil, calls, 0, to, plenty).Choose(s, after, tokens)
}

func TestUnfoldedTurnsCount(t *testing.T) {
	const other = "package other\n\nfunc Other() error { return nil }"
	c := new(talk).call("read", handler, "path", "refund.go").call("read", other, "path", "b.go")
	paths := func(blocks []Block) string {
		var all []string
		for _, b := range blocks {
			all = append(all, b.Path)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	again := *c
	again.msgs = slices.Clone(c.msgs)
	again.call("read", handler, "path", "refund.go")
	hidden := func(int) string { return "" }
	for name, test := range map[string]struct {
		blocks []Block
		want   string
	}{
		"nothing follows":     {chosen(t, c, 4, 2000, nil), "b.go refund.go"},
		"read again":          {chosen(t, &again, 4, 2000, nil), "b.go"},
		"read again, masked":  {chosen(t, &again, 4, 2000, hidden), "b.go refund.go"},
		"no room":             {chosen(t, c, 4, 20, nil), ""},
		"room for the better": {chosen(t, c, 4, 50, nil), "b.go"},
	} {
		if got := paths(test.blocks); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	again.msgs = slices.Clone(c.msgs)
	again.call("edit", "done", "path", "refund.go", "old_string",
		"func Handle(r Refund) error {\n\treturn book(r.Amount, r.ID)\n", "new_string", "x")
	if got := paths(chosen(t, &again, 4, 2000, nil)); got != "b.go" {
		t.Errorf("replaced behind the fold: %q", got)
	}
}

func TestRender(t *testing.T) {
	got := Render([]Block{
		{Written: true, At: 9, Path: "b.go", Lines: []string{"## Files", "[End of the record", ""}},
		{At: 5, Path: "a.go", First: 3, Lines: []string{"\tthree", "\tfour"}},
		{At: 7, Path: "a.go", Of: "lint(a.go […])", Lines: []string{"a.go:1:x"}},
		{At: 5, Path: "a.go", First: 5, Lines: []string{"five\r\u2028six"}},
		{At: 5, Text: 1, Path: "a.go", First: 6, Lines: []string{"of another call"}},
		{At: 4, Path: "c.go\n## Open", First: 1, Lines: []string{"<task>"}},
	})
	want := introduction + `
## a.go
message 5, from line 3:
|	three
|	four
|five  six
message 5, from line 6:
|of another call

## b.go
written in message 9:
|## Files
|(End of the record
|

## c.go ## Open
message 4, from line 1:
|<task>

## lint(a.go […])
message 7:
|a.go:1:x
`
	if got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

// Each path has a heading, since two may mean two files. Parts of a text without line numbers keep
// their order.
func TestHeadings(t *testing.T) {
	got := Render([]Block{
		{At: 9, Path: "/w/src/a.go", Lines: []string{"one"}},
		{At: 7, Path: "src/a.go", From: 8, Lines: []string{"three"}},
		{At: 7, Path: "src/a.go", From: 4, Lines: []string{"two"}},
		{At: 7, Path: "src/a.go", From: 5, Lines: []string{"and a half"}},
	})
	want := introduction + `
## /w/src/a.go
message 9:
|one

## src/a.go
message 7:
|two
|and a half
message 7:
|three
`
	if got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestNumbersOfLines(t *testing.T) {
	for text, want := range map[string]string{
		"   9→a\n  10→b":   "9: a b",
		"7\ta\n8\tb\n9\tc": "7: a b c",
		"1: a\n2: b\n3":    "1: a b ",
		// oh-my-pi and grep put no space after the colon.
		"1:a {\n2:  b\n3: c\n4:}":                             "1: a {   b  c }",
		"1:a {\n…\n7:  b\n8: c\n9:  d\n10: e\n11: f\n…\n20:}": "7:   b  c   d  e  f",
		"1→a\n3→b":             "0: 1→a 3→b",
		"a\n2→b":               "0: a 2→b",
		"12345678→a\n2→b":      "0: 12345678→a 2→b",
		"1 apple\n2 bananas":   "0: 1 apple 2 bananas",
		"2026: one\n2027: two": "2026: one two",
		"[a.go]\n(40 above)\n41:a\n42:b\n43:c\n44:d\n(3 below)": "41: a b c d",
		"1:of two\n---\n41:a\n42:b\n43:c":                       "41: a b c",
		"x\ny\nz\n41:a\n42:b\n43:c":                             "0: x y z 41:a 42:b 43:c",
		"x\n41:a\n42:b":                                         "0: x 41:a 42:b",
		// Cline leaves out the middle, in the middle of lines.
		"  1 | a\n  2 | b\n  3 | c\n  4\n\n...[truncated 68 chars]...\n\nhij\n 12 | k\n 13 | l\n" +
			" 14 | m": "1: a b c; 12: k l m",
		"1:a\n2:b\n3:c\n4:d\n9:e\n10:f\n11:g": "1: a b c d; 9: e f g",
		"1:a\n2:b\n3:c\n1:e\n2:f\n3:g":        "0: 1:a 2:b 3:c 1:e 2:f 3:g",
	} {
		src := source{lines: strings.Split(text, "\n")}
		var parts []string
		all, ok := src.withoutNumbers()
		if !ok {
			all = []source{src}
		}
		for _, part := range all {
			parts = append(parts,
				fmt.Sprintf("%d: %s", part.first, strings.Join(part.lines, " ")))
		}
		if got := strings.Join(parts, "; "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
