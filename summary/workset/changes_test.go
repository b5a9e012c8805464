package workset

import (
	"slices"
	"strings"
	"testing"
)

// labels returns the path, label and lines of each block.
func labels(blocks []Block) (texts []string) {
	for i := range blocks {
		b := &blocks[i]
		texts = append(texts, b.Path+" "+b.label()+" "+strings.Join(b.Lines, "; "))
	}
	return texts
}

// A shell on Windows names files with slashes, tools with backslashes.
func TestCommandsChangeFilesOfWindows(t *testing.T) {
	const text = "package a // read\nfunc A() int { return 1 }"
	for command, want := range map[string]int{
		"rm src/a.go": 0, "rm src/b.go": 1, `rm 'C:\app\src\a.go'`: 0,
		"git checkout -- src/a.go": 0, "rm other/src/a.go": 1, "go vet ./...": 1,
	} {
		talk := new(talk).says("Work.").call("read", text, "path", `C:\app\src\a.go`).
			call("bash", "", "command", command)
		if got := labels(talk.pool(t).Blocks); len(got) != want {
			t.Errorf("%s: %q, want %d", command, got, want)
		}
	}
	for _, command := range []string{"sed -i s/1/2/ src/a.go", "rm -rf src"} {
		talk := new(talk).says("Work.").call("read", text, "path", `C:\app\src\a.go`).
			call("bash", "", "command", command)
		got := labels(talk.pool(t).Blocks)
		if len(got) != 1 || !strings.Contains(got[0], "before message 4, which may have changed") {
			t.Errorf("%s: %q", command, got)
		}
	}
}

// The effect of a command on a file decides whether its lines are shown, and with which label.
func TestCommandsChangeFiles(t *testing.T) {
	const text = "package a // read\nfunc A() int { return 1 }"
	shown := "a/a.go message 2, from line 1: " + strings.ReplaceAll(text, "\n", "; ")
	maybe := strings.Replace(shown, ":", ", before message 4, which may have changed the file:", 1)
	for name, c := range map[string]struct {
		command, result string
		want            []string
	}{
		"no change":                  {"go vet ./...", "", []string{shown}},
		"deleted":                    {"rm a/a.go", "", nil},
		"deleted by git":             {"git rm -q a/a.go", "", nil},
		"its folder deleted":         {"rm -rf a", "", nil},
		"another deleted":            {"rm b/a.go", "", []string{shown}},
		"moved":                      {"git mv a/a.go b/b.go", "", nil},
		"moved, by a name alone":     {"mv a.go b.go", "", nil},
		"moved with another":         {"mv a/a.go a/c.go b/", "", nil},
		"copied":                     {"cp a/a.go b/b.go", "", []string{shown}},
		"copied over":                {"cp b/b.go a/a.go", "", nil},
		"written":                    {"cat > a/a.go <<'EOF'\npackage a // anew\nEOF", "", nil},
		"written, nobody knows what": {"go doc fmt > a/a.go", "", nil},
		"lines appended": {"tee -a a/a.go <<'EOF'\nfunc B() int { return 2 }\nEOF", "",
			[]string{shown}},
		"edited":         {"sed -i s/1/2/ a/a.go", "", []string{maybe}},
		"formatted":      {"gofmt -w .", "", []string{maybe}},
		"restored":       {"git checkout -- a/a.go", "", nil},
		"another branch": {"git checkout main", "", []string{maybe}},
		"truncated":      {"truncate -s 0 a/a.go", "", []string{maybe}},
		"patched":        {"patch -p1 < a.patch", "", []string{maybe}},
		"by a program":   {"python3 - <<'E'\nopen('a/a.go', 'w')\nE", "", []string{maybe}},
		"failed":         {"rm a/a.go", "Exit code 1", []string{maybe}},
		"not known":      {"rm a/*.go", "", []string{maybe}},
		"perhaps":        {"go test ./... || rm a/a.go", "", []string{maybe}},
		"not let run": {"rm a/a.go", "Permission for this tool use was denied.",
			[]string{shown}},
		"written, and again": {"cat > a/a.go <<'E'; rm a/a.go\npackage a // anew\nE", "",
			[]string{maybe}},
	} {
		talk := new(talk).says("Work.").call("read", text, "path", "a/a.go").
			call("bash", c.result, "command", c.command)
		for _, folds := range [][]int{nil, {3}} {
			if got := labels(talk.pool(t, folds...).Blocks); !slices.Equal(got, c.want) {
				t.Errorf("%s, folds at %v: %q, want %q", name, folds, got, c.want)
			}
		}
		s := talk.source(t)
		p := Extend(s, nil, s.CallsBefore(3), 0, 3, plenty)
		after := &Unfolded{From: 3, To: 5, Calls: s.Calls[1:], Sent: s.SafeOutput}
		if got := labels(p.Choose(s, after, 1000)); !slices.Equal(got, c.want) {
			t.Errorf("%s, after the fold: %q, want %q", name, got, c.want)
		}
	}
}

// Lines that an edit replaced are not shown beside the new ones, even if some of them are still
// there.
func TestReplacedLinesAreLeftOut(t *testing.T) {
	const before = "func Load(name string) {\n\tcurrent = nameOf(name)\n\ttheme = load(name)\n" +
		"\twatch(theme)\n}"
	const after = "func Load(name string) {\n\tcurrent = nameOf(name)\n\ttry {\n" +
		"\t\ttheme = load(name)\n\t\twatch(theme)\n\t} catch (e) { fall(back) }\n}"
	c := new(talk).call("edit", "done", "path", "a.ts", "old", "let current, theme;", "new",
		"let current = undefined;\nlet onChange = undefined;\nlet watcher = undefined;\n"+before).
		call("edit", "done", "path", "a.ts", "old", before, "new", after)
	want := []string{
		"a.ts written in message 3: " + strings.ReplaceAll(after, "\n", "; "),
		"a.ts written in message 1: let current = undefined;; let onChange = undefined;; " +
			"let watcher = undefined;; func Load(name string) {; \tcurrent = nameOf(name)",
	}
	s := c.source(t)
	for _, folds := range [][]int{nil, {2}} {
		got := labels(c.pool(t, folds...).Choose(s, &Unfolded{From: 4, To: 4}, 1000))
		if !slices.Equal(got, want) {
			t.Errorf("folds at %v: %q, want %q", folds, got, want)
		}
	}
}

// If another program prints too, or changes what is printed, or the tool wraps it, no line is
// certainly one of a file.
func TestLinesOfSeveralPrograms(t *testing.T) {
	p := new(talk).call("bash", "  12 a/a.go\npackage a // of twelve lines", "command",
		"wc -l a/a.go; cat a/a.go").call("bash", "package b // of thirteen lines$\n",
		"command", "cat b.go | cat -A").call("shell",
		`[{"stdout":"package c // of lines\n","outcome":{"type":"exit","exit_code":0}}]`, "command",
		"cat c.go").pool(t)
	if len(p.Blocks) != 0 {
		t.Errorf("shown as lines of files: %q", labels(p.Blocks))
	}
}

// What a call was given beside the name of a file is no content of it unless the tool is known to
// write that, and what a tool says about a file is no line of it.
func TestOnlyKnownToolsShowLines(t *testing.T) {
	c := new(talk).
		call("read", handler, "path", "refund.go").
		call("review_comment", "posted", "path", "refund.go", "text",
			"the amount is rounded twice and the currency is ignored").
		call("lint_file", "3: the result of this call is never used\n9: so is this", "path",
			"ledger.go").
		call("execute_cell", `{"outputs": [], "execution_count": 11}`, "path", "churn.ipynb").
		call("get_file_contents", "# the readme of another repository", "owner", "a", "repo", "b",
			"path", "README.md")
	var got []string
	for _, b := range c.pool(t).Blocks {
		got = append(got, b.title()+" "+b.label())
	}
	want := []string{"lint_file(ledger.go) message 5:",
		"refund.go message 1, from line 1, before message 3, which may have changed the file:"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// Lines that cannot be shown as they are, for their characters or because they imitate our marks,
// are not shown: an edit could not quote them. The end of a line is no part of it.
func TestLinesAreShownAsTheyAre(t *testing.T) {
	c := new(talk).call("read", "const first = \"one of the lines\"\r\n"+
		"const mark = \"[… 3 lines left out]\"\r\n"+
		"const zero = \"a \x00 within the line\"\r\n"+
		"const turned = \"a \u202e within the line\"\r\n"+
		"const broken = \"a \ufffd within the line\"\r\n"+
		"const last = \"another of the lines\"\r\n", "path", "a.go")
	got := lines(c.pool(t).Blocks)
	want := []string{"a.go:6 read: const last = \"another of the lines\"",
		"a.go:1 read: const first = \"one of the lines\""}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
