package workset

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/packed"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/view"
)

// talk builds a conversation.
type talk struct{ msgs []string }

func (c *talk) says(text string) *talk {
	c.msgs = append(c.msgs, chattest.Says(view.User, text))
	return c
}

// call adds a call with its arguments, alternating names and values, and its result.
func (c *talk) call(tool, result string, args ...string) *talk {
	return c.made(tool, chattest.Object(args...), result)
}

// made adds a call with its arguments as JSON, and its result.
func (c *talk) made(tool, args, result string) *talk {
	id := fmt.Sprint("c", len(c.msgs))
	c.msgs = append(c.msgs, chattest.Call(id, tool, args),
		chattest.Result(id, result))
	return c
}

func (c *talk) source(t testing.TB) *quotes.Source {
	t.Helper()
	return &quotes.Source{
		Transcript: transcript.ReadAll(chattest.Request(t, chattest.Body(c.msgs)).Messages()),
		Place:      func(i int) int { return 500 * i },
	}
}

// pool folds the conversation at the given messages and at its end.
func (c *talk) pool(t testing.TB, folds ...int) *Pool {
	t.Helper()
	s := c.source(t)
	var p *Pool
	from := 0
	for _, to := range append(folds, len(c.msgs)) {
		calls := slices.DeleteFunc(slices.Clone(s.CallsBefore(to)), func(c transcript.Call) bool {
			return c.Caller < from
		})
		p = Extend(s, p, calls, from, to, plenty)
		from = to
	}
	return p
}

// lines spells blocks as "path:first read: line; line".
func lines(blocks []Block) (texts []string) {
	for _, b := range blocks {
		how := "read"
		if b.Written {
			how = "written"
		}
		texts = append(texts, fmt.Sprintf("%s:%d %s: %s", b.Path, b.First, how,
			strings.Join(b.Lines, "; ")))
	}
	return texts
}

const handler = "package refund\n\nfunc Handle(r Refund) error {\n\treturn book(r.Amount, r.ID)\n}"

func TestBlocksOfCalls(t *testing.T) {
	numbered := "   41→func Handle(r Refund) error {\n   42→\treturn book(r.Amount, r.ID)\n" +
		"   43→}\n<system-reminder>Never mind.</system-reminder>"
	for name, c := range map[string]struct {
		talk *talk
		want []string
	}{
		"a file": {new(talk).call("read", handler, "path", "a/refund.go"),
			[]string{"a/refund.go:1 read: " + strings.ReplaceAll(handler, "\n", "; ")}},
		"numbered lines": {new(talk).call("Read", numbered, "file_path", "/a/refund.go"),
			[]string{"/a/refund.go:41 read: func Handle(r Refund) error {; " +
				"\treturn book(r.Amount, r.ID); }"}},
		"selected lines": {new(talk).call("exec_command", "Chunk ID: 1\nOutput:\n\treturn book(r)"+
			"\n\tand more of it", "cmd", "sed -n '12,13p' a.go"),
			[]string{"a.go:12 read: \treturn book(r); \tand more of it"}},
		"what was written": {new(talk).call("Edit", "done", "file_path", "a.go",
			"old_string", "return nil // for now", "new_string", "return book(r.Amount, r.ID)"),
			[]string{"a.go:0 written: return book(r.Amount, r.ID)"}},
		"a patch": {new(talk).call("apply_patch", "Success.", "input", "*** Begin Patch\n"+
			"*** Update File: a.go\n@@\n func Handle(r Refund) {\n-\treturn nil // for now\n"+
			"+\treturn book(r.Amount)\n }\n*** End Patch"),
			[]string{"a.go:0 written: func Handle(r Refund) {; \treturn book(r.Amount); }"}},
		"what was written nobody knows where": {new(talk).call("edit", "done", "search",
			"return nil // for now", "replace", "return book(r.Amount, r.ID)"), nil},
		"a file in a list of results": {new(talk).call("read_files", `[{"query":"a.go",`+
			`"result":"41 | func Handle(r Refund) error {\n42 | }","success":true}]`,
			"path", "a.go"),
			[]string{"a.go:41 read: func Handle(r Refund) error {; }"}},
		"several files in one call": {new(talk).made("read_files", `{"files":[{"path":"a.go"},`+
			`{"path":"b.go","start_line":5,"end_line":6}]}`, `[{"query":"a.go","result":`+
			`"1 | func Handle(r Refund) error {\n2 | }","success":true},{"query":"b.go:5-6",`+
			`"result":"5 | func Book(r Refund) error {\n6 | }","success":true}]`),
			[]string{"b.go:5 read: func Book(r Refund) error {; }",
				"a.go:1 read: func Handle(r Refund) error {; }"}},
		"a part of a file": {new(talk).call("read", "func Handle(r Refund) error {\n}\n\n"+
			"[5 more lines in file. Use offset=43 to continue.]", "path", "a.go", "offset", "41"),
			[]string{"a.go:41 read: func Handle(r Refund) error {; }"}},
		"a part of unknown lines": {new(talk).call("read", "func Handle(r Refund) error {\n}",
			"path", "a.go", "offset", "41"),
			[]string{"a.go:0 read: func Handle(r Refund) error {; }"}},
		"the beginning of a long file": {new(talk).call("Bash", "<persisted-output>\nOutput too "+
			"large (75.9KB). Full output saved to: /h/b.txt\n\nPreview (first 2KB):\n"+
			"func Handle(r Refund) error {\n\treturn book(r\n...\n</persisted-output>",
			"command", "cat a.go"), []string{"a.go:1 read: func Handle(r Refund) error {"}},
		"the end of a long file": {new(talk).call("bash", "...output truncated...\n\nFull output "+
			"saved to: /h/o\n\nfunc Handle(r Refund) error {\n}\n", "command", "cat a.go"),
			[]string{"a.go:0 read: func Handle(r Refund) error {; }"}},
		"a file that was too large to read": {new(talk).call("view", "File too large to read at "+
			"once (25.7 KB). Consider using the grep tool.", "path", "a.go"), nil},
		"a line that was cut": {new(talk).call("read_file", "Showing lines 1-2 of 9 total lines."+
			"\n\n---\n\nfunc Handle(r Refund) error {\n\treturn book(r.Amou... [truncated]",
			"file_path", "a.go"), []string{"a.go:1 read: func Handle(r Refund) error {"}},
		"both ends of a long file": {new(talk).call("run_commands", `[{"query":"cat a.go",`+
			`"result":"func Handle(r Refund) error {\n\treturn bo\n\n...[truncated 2000 chars]...`+
			`\n\nund)\n}\n","success":true}]`, "commands", "cat a.go"),
			[]string{"a.go:1 read: func Handle(r Refund) error {"}},
		"hits of a search": {new(talk).call("Grep", "a.go:3:func Handle(r Refund)", "pattern",
			"Handle", "path", "a.go"), nil},
		"a failed read": {new(talk).call("Read", "<tool_use_error>File does not exist at all."+
			"</tool_use_error>", "file_path", "a.go"), nil},
		"a test run": {new(talk).call("bash", "ok app/internal/refund 0.01s", "command",
			"go test ./..."), nil},
	} {
		if got := lines(c.talk.pool(t).Blocks); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Long texts are divided.
func TestLongTextsAreDivided(t *testing.T) {
	var text strings.Builder
	for i := range 6 {
		fmt.Fprintf(&text, "func number%d() int {\n", i)
		for k := range 4 {
			fmt.Fprintf(&text, "\tdo(something%d, %d)\n\n", i, k)
		}
		text.WriteString("}\n\n")
	}
	p := new(talk).call("read", text.String(), "path", "a.go").pool(t)
	all := strings.Split(text.String(), "\n")
	slices.Reverse(p.Blocks)
	next := 1
	for _, b := range p.Blocks {
		if len(b.Lines) > maxLines {
			t.Errorf("a block of %d lines", len(b.Lines))
		}
		if b.First < next || !slices.Equal(b.Lines, all[b.First-1:b.First-1+len(b.Lines)]) {
			t.Errorf("line %d is not %q", b.First, b.Lines)
		}
		next = b.First + len(b.Lines)
	}
	if len(p.Blocks) < 3 {
		t.Errorf("%d blocks of %d lines", len(p.Blocks), len(all))
	}
}

// Of lines with numbers that the agent cut, the last one may be a part of a line.
func TestPartsOfLinesAreLeftOut(t *testing.T) {
	const read = "refund.go (9000 bytes)\n     1→package refund // of amounts\n" +
		"     2→// Refund gives the cents of an order back.\n     3→func Refund(cents in\n" +
		"[output truncated: showing first ~2000 of ~3620 tokens]"
	c := new(talk).call("mastra_workspace_read_file", read, "path", "refund.go")
	got := lines(c.pool(t).Blocks)
	want := []string{"refund.go:1 read: package refund // of amounts; " +
		"// Refund gives the cents of an order back."}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestWhatIsOutOfDateIsLeftOut(t *testing.T) {
	read := func() *talk { return new(talk).call("read", handler, "path", "a/refund.go") }
	edit := func(c *talk, path, old, new string) *talk {
		return c.call("edit", "done", "path", path, "old", old, "new", new)
	}
	const long = "func A() int {\n\treturn first(1, 2, 3)\n\treturn second(4, 5)\n" +
		"\treturn third(6, 7)\n}"
	for name, c := range map[string]struct {
		talk *talk
		want []string
	}{
		"read again": {read().call("read", handler, "path", "./a/refund.go"),
			[]string{"./a/refund.go:1 read: " + strings.ReplaceAll(handler, "\n", "; ")}},
		"a file of the same name": {read().call("read", "package other // of tests", "path",
			"b/refund.go"), []string{"b/refund.go:1 read: package other // of tests",
			"a/refund.go:1 read: " + strings.ReplaceAll(handler, "\n", "; ")}},
		"written anew": {read().call("write", "done", "path", "/home/a/refund.go", "content",
			"package refund // nothing yet"), []string{
			"/home/a/refund.go:1 written: package refund // nothing yet"}},
		"deleted": {read().call("delete_file", "done", "path", "a/refund.go"), nil},
		"a line replaced": {edit(new(talk).call("read", long, "path", "a.go"), "a.go",
			"\treturn second(4, 5)\n", "\treturn 2 + 3 + 4 // second\n"), []string{
			"a.go:0 written: \treturn 2 + 3 + 4 // second",
			"a.go:1 read: func A() int {; \treturn first(1, 2, 3)",
		}},
		"a part of a line replaced": {edit(new(talk).call("read", long, "path", "a.go"), "a.go",
			"first(1, 2", "zeroth(0, 0"), []string{
			"a.go:3 read: \treturn second(4, 5); \treturn third(6, 7); }",
		}},
	} {
		for _, folds := range [][]int{nil, {2}} {
			got := lines(c.talk.pool(t, folds...).Blocks)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, folds at %v: %q, want %q", name, folds, got, c.want)
			}
		}
	}
}

// Folding turn by turn gives the same pool as folding all turns at once.
func TestFoldsAddUp(t *testing.T) {
	c := new(talk).says("Fix a/refund.go please.")
	for i := range 30 {
		path := fmt.Sprintf("a/file%d.go", i%7)
		text := fmt.Sprintf("package a\n\nfunc F%d() { call(%d, %d, %d) }", i, i, i%3, i%5)
		if i%3 == 0 {
			c.call("write", "done", "path", path, "content", text)
		} else {
			c.call("read", text, "path", path)
		}
	}
	want := c.pool(t)
	var folds []int
	for i := 1; i < len(c.msgs); i += 2 {
		folds = append(folds, i)
	}
	if got := c.pool(t, folds...); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// plenty is room for as many blocks as a pool ever holds.
const plenty = 1 << 20

func TestPoolsAreBounded(t *testing.T) {
	c := new(talk)
	for i := range 3 * maxBlocks {
		c.call("read", fmt.Sprintf("package of number %d\nfunc F%d() error", i, i), "path",
			fmt.Sprintf("a/file%d.go", i))
	}
	p := c.pool(t)
	if len(p.Blocks) != maxBlocks || len(p.Files) != maxFiles {
		t.Errorf("%d blocks, %d files", len(p.Blocks), len(p.Files))
	}
	if b := p.Blocks[0]; b.Path != fmt.Sprintf("a/file%d.go", 3*maxBlocks-1) {
		t.Errorf("the newest block is of %s", b.Path)
	}
	s := c.source(t)
	little := Extend(s, nil, s.CallsBefore(len(c.msgs)), 0, len(c.msgs), 5*leastCost)
	if len(little.Blocks) != 5 || little.Blocks[0].Path != p.Blocks[0].Path {
		t.Errorf("%d blocks with room for 5", len(little.Blocks))
	}
}

func TestCredentialsStayOut(t *testing.T) {
	s := new(talk).call("read", "the key is hunter2, as before", "path", "a.go").source(t)
	s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[gone]") }
	p := Extend(s, nil, s.CallsBefore(2), 0, 2, plenty)
	if got := lines(p.Blocks); len(got) != 1 || !strings.Contains(got[0], "is [gone], as") {
		t.Errorf("%q", got)
	}
}

func TestAllOfAPoolIsStored(t *testing.T) {
	p := &Pool{
		Blocks: []Block{{Written: true, At: 1, Text: 2, Place: 3, Path: "p\xff", Of: "o", First: 4,
			Part: true, Lines: []string{"", "x"}}, {}},
		Files:   []File{{Path: "p", Asked: 1, Changes: 2, Used: -1, Changed: 3}},
		Request: 9,
	}
	var stored packed.Writer
	p.Encode(&stored)
	if back := DecodePool(stored); !reflect.DeepEqual(back, p) {
		t.Errorf("%+v, want %+v", back, p)
	}
	for i := range stored {
		if back := DecodePool(stored[:i]); !reflect.DeepEqual(back, &Pool{}) {
			t.Errorf("%d of %d bytes: %+v", i, len(stored), back)
		}
	}
}

// The ends of lines are not shown, but stated if they are those of Windows. A terminal ends all
// lines so, and says nothing about the file.
func TestLinesOfWindows(t *testing.T) {
	const dos = "public class Settings\r\n{\r\n    public int Limit = 40;\r\n}\r\n"
	var c talk
	c.says("Fix the limit.").call("read", dos, "path", `C:\shop\Settings.cs`).
		call("bash", dos, "command", "cat Other.go").
		call("read", strings.ReplaceAll(dos, "\r\n    p", "\n    p"), "path", "Mixed.cs")
	got := Render(c.pool(t).Blocks)
	for _, want := range []string{
		"## C:\\shop\\Settings.cs\nmessage 2, from line 1, lines ended in CR LF there:\n" +
			"|public class Settings\n|{\n|    public int Limit = 40;\n|}\n",
		"## Other.go\nmessage 4, from line 1:\n|public class Settings\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "Mixed.cs") {
		t.Errorf("lines with a carriage return are shown as others:\n%s", got)
	}
}
