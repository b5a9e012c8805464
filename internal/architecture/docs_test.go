package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testNamed   = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)(?:/([^`]+))?`")
	testWritten = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)\(`)
)

// A document that promises something names the test of it, and that test exists; a name after a
// slash is one of its cases.
func TestTestsThatDocumentsNameExist(t *testing.T) {
	written := testsByName(t, "../..")
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, document := range append(documents, "../../README.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testNamed.FindAllSubmatch(text, -1) {
			named++
			name, part := string(m[1]), string(m[2])
			source, ok := written[name]
			switch {
			case !ok:
				t.Errorf("%s names %s, which is no test", document, name)
			case part != "" && !strings.Contains(source, `"`+part+`"`):
				t.Errorf("%s names the case %q of %s, which has none", document, part, name)
			}
		}
	}
	if named < 50 {
		t.Errorf("the documents name %d tests: they are not read as they are written", named)
	}
}

// testsByName returns, for each test, the sources of its package.
func testsByName(t *testing.T, root string) map[string]string {
	t.Helper()
	names, sources := map[string][]string{}, map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		dir := filepath.Dir(name)
		sources[dir] += string(source)
		for _, m := range testWritten.FindAllSubmatch(source, -1) {
			names[string(m[1])] = append(names[string(m[1])], dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{}
	for name, dirs := range names {
		for _, dir := range dirs {
			written[name] += sources[dir]
		}
	}
	return written
}
