package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	linkWritten = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fileWritten = regexp.MustCompile(
		"`((?:cache|chat|cmd|compaction|compactor|converse|deploy|docs|gemini|internal|" +
			"messages|model|prices|probe|proxy|rawjson|redact|reference|replay|responses|" +
			"summary|tokenizer|tools|transcript|view)/[\\w./-]+" +
			"\\.(?:conf|go|md|mod|service|yaml))`")
	// namesWritten is a file followed by names that it declares: `chat/request.go` (`Parse`).
	namesWritten = regexp.MustCompile("`([\\w./-]+\\.go)` \\((`\\w+`(?:, `\\w+`)*)\\)")
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor     = regexp.MustCompile(`[^\w\- ]`)
)

// documents are the paths of all documents.
func documents(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{
		"docs/*.md", "*.md", "deploy/*/README.md", "deploy/helm/*/README.md",
	} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// Links in documents have a target, and the files that they name exist.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	links, names := 0, 0
	for _, document := range documents(t) {
		text := read(t, document)
		for _, m := range linkWritten.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", document, m[1])
			} else if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s: the link %s leads to no heading of %s", document, m[1], target)
			}
		}
		for _, m := range namesWritten.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(strings.ReplaceAll(m[2], "`", ""), ", ") {
				names++
				if !declares(t, filepath.Join("../..", m[1]), name) {
					t.Errorf("%s names %s of %s, which does not declare it", document, name, m[1])
				}
			}
		}
		for _, m := range fileWritten.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", document, m[1])
			}
		}
	}
	if links < 10 {
		t.Errorf("%d links: they are not read as they are written", links)
	}
	if names < 20 {
		t.Errorf("%d names of files: they are not read as they are written", names)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// declares reports whether a Go file declares a name at its top level.
func declares(t *testing.T, file, name string) bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.Name == name {
						return true
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(spec.Names, func(n *ast.Ident) bool {
						return n.Name == name
					}) {
						return true
					}
				}
			}
		}
	}
	return false
}

// anchors returns the names by which headings are linked to.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := noAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}
