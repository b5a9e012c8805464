// Package architecture holds the rules of the house that no compiler checks. It
// has no code of its own.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rules say what each package of the project may import beside the standard
// library, tests apart: other packages of the project by their path in it, and
// modules. reason is why it is no more.
var rules = map[string]struct {
	allowed []string
	reason  string
}{
	"chat": {nil,
		"everybody reads the wire format, so it must drag nothing in and decide nothing"},
	"tokenizer": {[]string{"chat", "github.com/pkoukk/tiktoken-go", "github.com/pkoukk/tiktoken-go-loader"},
		"a count depends on the request and the published ranks, on no store and no plan"},
	"transcript": {[]string{"chat"},
		"what was said and done does not depend on who reads it, nor what for"},
	"reference": {nil,
		"a name is a name in any text, whoever looks for it"},
	"summary": {[]string{"chat", "reference", "transcript"},
		"a record follows from the conversation alone: no store, plan, model or count may change a line"},
	"probe": {[]string{"chat", "transcript"},
		"a judge that knew the record's writer, or the model's client, would share its faults"},
	"redact": {nil,
		"whoever writes text down uses it, so it must drag nothing in"},
	"cache": {[]string{"chat", "github.com/dgraph-io/badger/v4", "github.com/maypok86/otter/v2",
		"github.com/klauspost/compress", "golang.org/x/sys"},
		"the store keeps bytes under keys; what they mean is the compactor's"},
	"compactor": {[]string{"chat", "probe", "reference", "summary", "transcript"},
		"decisions are pure: it counts, stores and asks models through interfaces that it declares itself"},
	"model": {[]string{"chat", "github.com/sashabaranov/go-openai", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/sony/gobreaker/v2"},
		"what a model is asked, and what form its answer has, depends on no plan and no store"},
	"replay": {[]string{"chat", "transcript"},
		"a measure that shared code with what decides or writes would share its faults; what was said it reads as everybody does"},
	"proxy": {[]string{"chat", "github.com/gin-gonic/gin", "github.com/prometheus/client_golang", "github.com/klauspost/compress", "github.com/andybalholm/brotli", "golang.org/x/sync", "golang.org/x/net"},
		"HTTP must not depend on how a request is compacted: it sees one small interface"},
	"internal/fuzzed": {nil,
		"what builds hostile requests must not share the reader's idea of a request"},
	"internal/groundcheck": {nil,
		"a checker that shared code with the writer would share its faults"},
	"internal/recorded": {[]string{"chat"},
		"tests of every package read recordings with it, so it must drag none of them in"},
	"internal/upstreamtest": {[]string{"chat"},
		"an upstream that shared code with the proxy would share its faults"},
	"internal/loadtest": {[]string{"internal/upstreamtest"},
		"it measures the built proxy from outside, as a client and an upstream see it"},
	"cmd/proxy": {[]string{
		"cache", "chat", "compactor", "model", "probe", "proxy", "redact", "replay", "summary", "tokenizer", "internal/upstreamtest",
		"github.com/goccy/go-yaml", "github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/prometheus/client_golang",
		"charm.land/lipgloss/v2", "github.com/charmbracelet/colorprofile", "golang.org/x/term", "github.com/maypok86/otter/v2",
	},
		"it wires everything and holds nothing else"},
}

func TestImportsKeepTheirDirection(t *testing.T) {
	for dir, imports := range importsByPackage(t, "../..") {
		rule, known := rules[dir]
		if !known {
			t.Errorf("package %s has no rule: say here what it may import, and why", dir)
			continue
		}
		for _, imported := range imports {
			if !slices.ContainsFunc(rule.allowed, func(a string) bool { return within(imported, a) }) {
				t.Errorf("%s imports %s, but %s", dir, imported, rule.reason)
			}
		}
	}
}

// within tells whether a package belongs to what a rule names: itself, or for a
// module anything in it.
func within(imported, allowed string) bool {
	return imported == allowed || strings.Contains(allowed, ".") && strings.HasPrefix(imported, allowed+"/")
}

// importsByPackage returns, for each package below root with code of its own,
// its imports outside the standard library; those of the project without the
// module's name.
func importsByPackage(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if found[dir] == nil {
			found[dir] = map[string]bool{}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, isOwn := strings.CutPrefix(imported, "killick/")
			switch first, _, _ := strings.Cut(imported, "/"); {
			case isOwn:
				found[dir][own] = true
			case strings.Contains(first, "."):
				found[dir][imported] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < len(rules) {
		t.Errorf("%d packages found, want at least the %d that have rules", len(found), len(rules))
	}
	imports := map[string][]string{}
	for dir, set := range found {
		imports[dir] = slices.Sorted(maps.Keys(set))
	}
	return imports
}

// A source file has one subject. Where it grows past this, it has two.
const maxLines = 500

func TestFilesHaveOneSubject(t *testing.T) {
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		base := path.Base(filepath.ToSlash(name))
		if d.IsDir() || !strings.HasSuffix(base, ".go") {
			return nil
		}
		for _, vague := range []string{"util", "common", "types", "helpers", "misc"} {
			if stem := strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test"); stem == vague || stem == vague+"s" {
				t.Errorf("%s: the name says nothing of what is in it", name)
			}
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if lines := strings.Count(string(content), "\n"); lines > maxLines && !strings.HasSuffix(base, "_test.go") {
			t.Errorf("%s has %d lines: what is its second subject?", name, lines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
