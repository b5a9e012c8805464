package transcript

import (
	"reflect"
	"strconv"
	"testing"

	"killick/internal/chattest"
)

func TestShows(t *testing.T) {
	command := func(text string) Call {
		return calling(t, "exec_command", chattest.Object("cmd", text), "x")
	}
	file := func(name string) []string { return []string{name} }
	for name, c := range map[string]struct {
		call Call
		want Shown
	}{
		"a whole file": {calling(t, "Read", `{"file_path":"/a/b.go"}`, "x"),
			Shown{Lines: true, Paths: file("/a/b.go"), First: 1, Whole: true, Numbered: true}},
		"lines of it": {calling(t, "Read", `{"file_path":"/a/b.go","offset":40,"limit":9}`, "x"),
			Shown{Lines: true, Paths: file("/a/b.go"), First: 40, Counted: true, Part: true,
				Numbered: true}},
		"null": {calling(t, "read_file", `{"file_path":"b.go","offset":null,"limit":null}`, "x"),
			Shown{Lines: true, Paths: file("b.go"), First: 1, Whole: true, Numbered: true}},
		"of a list": {calling(t, "read_files", `{"files":[{"path":"b.go","start_line":3}]}`, "x"),
			Shown{Lines: true, Paths: file("b.go"), First: 3, Part: true, Numbered: true}},
		"from a line of an unknown name": {calling(t, "open", `{"path":"b.go","line":9}`, "x"),
			Shown{Lines: true, Paths: file("b.go"), Numbered: true}},
		"its beginning": {calling(t, "Read", `{"file_path":"/a/b.go","limit":9}`, "x"),
			Shown{Lines: true, Paths: file("/a/b.go"), First: 1, Part: true, Numbered: true}},
		"a range": {calling(t, "view", `{"path":"b.go","view_range":[3,9]}`, "x"), Shown{
			Lines: true, Paths: file("b.go"), First: 3, Part: true, Numbered: true}},
		"a search":  {calling(t, "Grep", `{"pattern":"x","path":"src"}`, "x"), Shown{}},
		"a listing": {calling(t, "Glob", `{"pattern":"*.go"}`, "x"), Shown{}},
		"a write":   {calling(t, "Write", `{"file_path":"b.go","content":"x"}`, "x"), Shown{}},
		"another":   {calling(t, "book_room", `{"room":"12"}`, "x"), Shown{}},
		"cat": {command("cat a/b.go"), Shown{Lines: true, Paths: file("a/b.go"), First: 1,
			Whole: true}},
		"sed": {command("cd /a && sed -n '12,40p' src/b.go"), Shown{Lines: true,
			Paths: file("src/b.go"), First: 12, Part: true, folder: "/a"}},
		"in a folder": {calling(t, "exec_command", `{"cmd":"cat b.go","workdir":"/a"}`, "x"),
			Shown{Lines: true, Paths: file("b.go"), First: 1, Whole: true, folder: "/a"}},
		"in a relative folder": {calling(t, "run_shell_command",
			`{"command":"cat b.go","dir_path":"./a"}`, "x"),
			Shown{Lines: true, Paths: file("b.go"), First: 1, Whole: true, folder: "a"}},
		"in a folder of Windows": {calling(t, "shell_command",
			`{"command":"cat b.go","workdir":"C:\\a"}`, "x"),
			Shown{Lines: true, Paths: file("b.go"), First: 1, Whole: true}},
		"sed, between": {command("sed -n '/from/,/to/p' b.go"), Shown{Lines: true,
			Paths: file("b.go"), Part: true}},
		"sed, replaced":     {command("sed s,a,b, b.go"), Shown{}},
		"sed, some of them": {command("sed -n s,a,b,p b.go"), Shown{}},
		"awk":               {command("awk '/x/{print 1}' b.go"), Shown{}},
		"cat, visible":      {command("cat -A b.go"), Shown{}},
		"cat, replaced": {command("cat b.go | sed s,a,b,"), Shown{Lines: true, Mixed: true,
			Paths: file("b.go"), First: 1, Whole: true}},
		"a tool in no table": {calling(t, "lint_file", `{"path":"b.go"}`, "x"), Shown{Lines: true,
			Mixed: true, Paths: file("b.go"), First: 1, Whole: true}},
		"of another repository": {calling(t, "get_file_contents",
			`{"owner":"a","repo":"b","path":"c.go"}`, "x"), Shown{}},
		"numbered": {command("nl -ba b.go | sed -n '3,9p'"), Shown{Lines: true,
			Paths: file("b.go"), Numbered: true}},
		"two files": {command("cat a.go b.go"), Shown{Lines: true,
			Paths: []string{"a.go", "b.go"}}},
		"one by one": {command("cat a.go && head -n 5 b.go"), Shown{Lines: true,
			Paths: []string{"a.go", "b.go"}}},
		"and another": {command("cat a.go; wc -l b.go"), Shown{Lines: true, Mixed: true,
			Paths: file("a.go"), First: 1, Whole: true}},
		"rg":       {command("rg -n 'func (a|b)' src/a"), Shown{}},
		"a pipe":   {command("awk '/x/{print 1}' b.go | head -3"), Shown{}},
		"an input": {command("cat < b.go"), Shown{}},
		"quoted": {command(`cat "a b/c.go" 2>&1`), Shown{Lines: true,
			Paths: file("a b/c.go"), First: 1, Whole: true}},
		"sed, quoted": {command(`sed -n "5p" "b.go"`), Shown{Lines: true, Paths: file("b.go"),
			First: 5, Part: true}},
		"sed, two parts": {command("sed -n '1,3p;7,9p' b.go"), Shown{Lines: true,
			Paths: file("b.go"), Part: true}},
		"a name in a comment": {command("cat a.go # b.go"), Shown{Lines: true,
			Paths: file("a.go"), First: 1, Whole: true}},
		"files by a pattern":   {command("cat src/*.go"), Shown{Lines: true}},
		"a pattern and a file": {command("cat src/*.kts a.go"), Shown{Lines: true}},
		"a name without a known end": {command("cat settings.gradle.kts core/build.gradle.kts"),
			Shown{Lines: true, Paths: []string{"settings.gradle.kts", "core/build.gradle.kts"}}},
		"a name without an end": {command("cat LICENSE && cat b.go"),
			Shown{Lines: true, Paths: []string{"LICENSE", "b.go"}}},
		"the beginning of two": {command("head -n 5 Makefile b.go"), Shown{Lines: true,
			Paths: []string{"Makefile", "b.go"}}},
		"an input and a file": {command("wc -l c.go | cat - b.go"),
			Shown{Lines: true, Mixed: true}},
		"git diff":    {command("git diff a/b.go"), Shown{}},
		"a test":      {command("go test ./..."), Shown{}},
		"a redirect":  {command("cat a.go > b.go"), Shown{}},
		"an edit":     {command("sed -i s/a/b/ b.go"), Shown{}},
		"git status":  {command("git status"), Shown{}},
		"after a run": {command("make && cat b.go"), Shown{}},
	} {
		if got := c.call.Shows(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Lines that tools put around those of a file are left out, and the line numbers that tools state
// are used.
func TestFileLines(t *testing.T) {
	for name, c := range map[string]struct {
		output, lines string
		first         int
		part          bool
	}{
		"plain":           {"a\nb\n", "a\nb\n", 7, false},
		"Continue":        {"Content of b.go:\na\nb\n", "a\nb\n", 7, false},
		"of another file": {"Content of c.go:\na\n", "Content of c.go:\na\n", 7, false},
		"qwen-code": {"Showing lines 2-3 of 9 total lines.\n\n---\n\na\nb\n", "a\nb\n",
			2, true},
		"a file like that": {"Showing lines 2-3 of 9 total lines.\na\n",
			"Showing lines 2-3 of 9 total lines.\na\n", 7, false},
		"gemini-cli": {"\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines " +
			"2-3 of 9 total lines.\nAction: To read more, use start_line: 4.\n\n" +
			"--- FILE CONTENT (truncated) ---\na\nb", "a\nb", 2, true},
		"pi": {"a\nb\n\n[5 more lines in file. Use offset=43 to continue.]", "a\nb\n", 41, true},
		"pi, long": {"a\nb\n\n[Showing lines 41-42 of 99 (50KB limit). Use offset=43 to continue.]",
			"a\nb\n", 41, true},
		"OpenClaw": {"a\nb\n\n[Read output capped at 128KB for this call. Use offset=43, limit=9 " +
			"to continue.]", "a\nb\n", 41, true},
		"OpenClaw, within a line": {"a\nb\n\n[Showing part of line 42 (50KB limit). Use read " +
			"with offset=42, cursor=5 to continue.]", "a\n", 41, true},
		"a file that ends so": {"a\n\n[Read on. Use offset=43 to continue.]",
			"a\n\n[Read on. Use offset=43 to continue.]", 7, false},
		"Copilot CLI": {"a\nb\n\n[Output truncated. Use view_range=[9, ...] to continue reading. " +
			"File has at least 20 lines.]", "a\n", 7, true},
		"Copilot CLI, nothing": {"File too large to read at once (25.7 KB). Consider using the " +
			"grep tool.", "", 0, true},
	} {
		call := calling(t, "read", `{"path":"b.go"}`, "x")
		lines, first, part := call.FileLines(c.output, 7)
		if lines != c.lines || first != c.first || part != c.part {
			t.Errorf("%s: %q from %d, part %t; want %q from %d, %t", name, lines, first, part,
				c.lines, c.first, c.part)
		}
	}
}

// deepagents puts a header before the lines of a file, and notices before the header.
func TestLinesBehindAWindow(t *testing.T) {
	for name, c := range map[string]struct {
		output, lines string
		first         int
		part          bool
	}{
		"a file":     {"@@ lines 1-2 of 2 @@\na\nb\n", "a\nb\n", 1, false},
		"a part":     {"@@ lines 41-42 of 99 | next offset 42 @@\na\nb", "a\nb", 41, true},
		"its end":    {"@@ lines 98-99 of 99 @@\na\nb", "a\nb", 98, true},
		"of unknown": {"@@ lines 3-4 @@\na\nb", "a\nb", 3, true},
		"a long line": {"[Output was cut.]\n@@ lines 3-3 of 9 | truncated mid-line | 1 of 9 " +
			"chars @@\na",
			"", 3, true},
		"two notices": {"[One.]\n[Another.]\n@@ lines 1-2 of 2 @@\na\nb\n", "a\nb\n", 1, false},
		"another":     {"@@ -1,2 +1,2 @@\na\n", "@@ -1,2 +1,2 @@\na\n", 7, false},
		"lower down":  {"a\n@@ lines 1-2 of 2 @@\n", "a\n@@ lines 1-2 of 2 @@\n", 7, false},
	} {
		call := calling(t, "read_file", `{"file_path":"/b.go"}`, "x")
		lines, first, part := call.FileLines(c.output, 7)
		if lines != c.lines || first != c.first || part != c.part {
			t.Errorf("%s: %q from %d, part %t; want %q from %d, %t", name, lines, first, part,
				c.lines, c.first, c.part)
		}
	}
}

func TestContents(t *testing.T) {
	patch := "*** Begin Patch\n*** Add File: a.go\n+package a\n*** Update File: b.go\n@@ func B\n" +
		" func B() {\n-\told()\n+\tnew()\n@@\n-gone()\n*** Delete File: c.go\n*** End Patch\n"
	ofPatch := []Content{
		{Path: "a.go", Text: "package a\n", Whole: true},
		{Path: "b.go", Text: "func B() {\n\tnew()\n", Old: "\told()\n",
			Before: "func B() {\n\told()\n"},
		{Path: "b.go", Old: "gone()\n", Before: "gone()\n"},
	}
	for name, c := range map[string]struct {
		call Call
		want []Content
	}{
		"a file": {calling(t, "Write", `{"file_path":"a.go","content":"package a"}`, "x"),
			[]Content{{Path: "a.go", Text: "package a", Whole: true}}},
		"an edit": {calling(t, "Edit", `{"file_path":"a.go","old_string":"x","new_string":"y"}`,
			"x"), []Content{{Path: "a.go", Text: "y", Old: "x", Before: "x"}}},
		"edits": {calling(t, "edit", `{"path":"a.go","edits":[{"oldText":"x","newText":"y"},`+
			`{"oldText":"v","newText":"w"}]}`, "x"),
			[]Content{{Path: "a.go", Text: "y", Old: "x", Before: "x"},
				{Path: "a.go", Text: "w", Old: "v", Before: "v"}}},
		"an insertion": {calling(t, "insert", `{"path":"a.go","line":3,"insert_text":"y"}`, "x"),
			[]Content{{Path: "a.go", Text: "y"}}},
		"a patch": {calling(t, "apply_patch", chattest.Object("input", patch), "x"), ofPatch},
		"one in a command": {calling(t, "bash", chattest.Object("command",
			"apply_patch <<'EOF'\n"+patch+"EOF"), "x"), ofPatch},
		"one in a program": {calling(t, "exec", chattest.Object("input", "await tools.apply_patch("+
			strconv.Quote(patch)+");"), completed), ofPatch},
		"a read":    {calling(t, "Read", `{"file_path":"a.go"}`, "x"), nil},
		"a command": {calling(t, "bash", `{"command":"echo x > a.go"}`, "x"), nil},
		"a here-document": {calling(t, "bash", chattest.Object("command",
			"cat > a.go <<'EOF'\npackage a\nEOF"), ""), nil},
	} {
		if got := c.call.Contents(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
