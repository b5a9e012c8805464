package results_test

import (
	"strconv"
	"strings"
	"testing"
)

// The lines of a file are those after and before what a tool says of them. What only resembles
// that is in the file.
func TestLinesOfFiles(t *testing.T) {
	const (
		grok = `{"target_file":"b.go"}`
		deep = `{"file_path":"b.go"}`
		read = `{"path":"b.go"}`
		cut  = "\nIMPORTANT: The file content has been truncated.\nStatus: "
		line = "Action: read on\n--- FILE CONTENT (truncated) ---\n"
	)
	numbered := func(n int) string {
		long := "1→a\n"
		for i := 2; i <= n; i++ {
			if i%10 == 0 {
				long += strconv.Itoa(i) + "→"
			}
			long += "b\n"
		}
		return long
	}
	for _, c := range []struct {
		tool, arguments, output, lines string
		from                           int
		part                           bool
	}{
		{"read_file", grok, "8→a\nx→y\n10→c", "a\nx→y\nc", 8, false},
		{"read_file", grok, "8→a\n42\n10→c", "a\n42\nc", 8, false},
		{"read_file", grok, numbered(90), "a\n" + strings.Repeat("b\n", 89), 1, false},

		{"read_file", deep, "@@ lines 1-2 of 2 @@\na\nb", "a\nb", 1, false},
		{"read_file", deep, "@@ lines 1-2 of 9 | next offset 2 @@\na\nb", "a\nb", 1, true},
		{"read_file", deep, "@@ lines 8-9 of 9 @@\na\nb", "a\nb", 8, true},
		{"read_file", deep, "@@ lines 8-9 @@\na\nb", "a\nb", 8, true},
		{"read_file", deep, "[a note]\n\n@@ lines 1-2 of 2 @@\na\nb", "a\nb", 1, false},
		{"read_file", deep, "@@ lines 8-8 of 9 | truncated mid-line | x @@\na", "", 8, true},
		{"Read", deep, "@@ lines 1-2 of 2 @@\na", "", 7, false},
		{"read_file", read, "@@ lines 1-2 of 2 @@\na", "", 7, false},
		{"read_file", deep, "b\n@@ lines 1-2 of 2 @@\na", "", 7, false},
		{"read_file", deep, "@@ lines 1-2 of 2\na", "", 7, false},
		{"read_file", deep, "@@ 1-2 of 2 @@\na", "", 7, false},
		{"read_file", deep, "@@ lines x-2 of 2 @@\na", "", 7, false},
		{"read_file", deep, "@@ lines 1-x of 2 @@\na", "", 7, false},
		{"read_file", deep, "@@ lines 1-2 of x @@\na", "", 7, false},
		{"read_file", deep, "@@ lines 12 of 2 @@\na", "", 7, false},

		{"read", read, "a\n\n[3 more lines in file. Use offset=2 to continue.]", "a\n", 1, true},
		{"read", read, "a\n\n[Showing lines 8-8 of 9. Use offset=9 to continue.]", "a\n", 8, true},
		{"read", read, "a\n\n[Read output capped at 9KB for this call. Use offset=2 to continue.]",
			"a\n", 1, true},
		{"read", read, "a\nb\n\n[Output truncated. Use view_range=[2, ...] to continue.]", "a\n", 7,
			true},
		{"read", read, "a\nb\n\n[Showing lines 1-2 of 9. Use offset=2, cursor=90 to continue.]",
			"a\n", 1, true},
		{"read", read, "a\n\n[Showing part of line 3. Use offset=4 to continue.]", "a\n", 3, true},
		{"view", read, "File too large to read at once (9 MB)", "", 0, true},
		{"read", read, "a\n[3 more lines in file. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n3 more lines in file. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n[3 more lines in file. Use offset=2 to go on.]", "", 7, false},
		{"read", read, "a\n\n[3 more lines in file. Use offset=2", "", 7, false},
		{"read", read, "a\n\n[3 more lines in file. Use offset=x to continue.]", "", 7, false},
		{"read", read, "a\n\n[3 more lines. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n[Read output capped at 9KB. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n[Cut for this call. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n[Showing lines 8 of 9. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n[Showing lines x-8 of 9. Use offset=2 to continue.]", "", 7, false},
		{"read", read, "a\n\n[Output truncated. Use view_range=[2, ...] to continue.", "", 7,
			false},
		{"read", read, "a\n\n[Showing lines 1-2 of 9 total lines", "", 7, false},
		{"read", read, "a\n\n[Showing lines 1-2 of 9 total lines, truncated to 60k]", "", 7,
			false},

		{"read_file", read, "Showing lines 1-2 of 9 total lines.\n\n---\n\na\nb", "a\nb", 1, true},
		{"read_file", read, "Showing lines 1-2 of 9 total lines.\n\na\nb", "", 7, false},
		{"read_file", read, "Showing lines 8 total lines.\n\n---\n\na", "", 7, false},
		{"read_file", read, "1-2 of 9 total lines.\n\n---\n\na", "", 7, false},
		{"read_file", read, "Showing lines 1-2 of 9 lines.\n\n---\n\na\nb", "", 7, false},
		{"read_file", read, cut + "Showing lines 1-2 of 9 total lines.\n" + line + "a", "a", 1,
			true},
		{"read_file", read, cut + "Showing lines 1-2 of 9 total lines.\na", "", 7, false},
		{"read_file", read, cut + "Showing some lines.\n" + line + "a", "", 7, false},
		{"read_file", read, "[Reading 2 lines from start (total: 2 lines, 0 remaining)]\n\na\nb",
			"a\nb", 1, false},
		{"read_file", read, "[Reading 1 lines from line 8 (total: 10 lines, 1 remaining)]\n\na",
			"a", 9, true},
		{"read_file", read, "[Reading last 2 lines (total: 10 lines)]\n\na\nb", "a\nb", 9, true},
		{"read_file", read, "[Reading 2 lines from start]\n\na\nb", "", 7, false},
		{"read_file", read, "[Reading 2 lines from start (total: 2 lines)]\n\na\nb", "", 7, false},
		{"read_file", read, "[Reading 2 lines from start (total: 2 lines, 0 remaining)]\na", "", 7,
			false},
		{"read_file", read, "Content of b.go:\na", "a", 7, false},
		{"read_file", read, "Content of c.go:\na", "", 7, false},
	} {
		if c.from == 7 && !c.part && c.lines == "" {
			c.lines = c.output // it is in the file
		}
		call := calling(t, c.tool, c.arguments, "x")
		lines, from, part := call.FileLines(c.output, 7)
		if lines != c.lines || from != c.from || part != c.part {
			t.Errorf("%s, %.99q: %.99q from %d, part %t; want %.99q from %d, %t", c.tool, c.output,
				lines, from, part, c.lines, c.from, c.part)
		}
	}
}
