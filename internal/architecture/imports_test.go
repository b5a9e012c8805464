package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestImportsKeepTheirDirection(t *testing.T) {
	for dir, imports := range importsByPackage(t, "../..") {
		rule, known := rules[dir]
		if !known {
			t.Errorf("package %s has no rule: say here what it may import, and why", dir)
			continue
		}
		for _, imported := range imports {
			if !slices.ContainsFunc(rule.allowed, func(a string) bool {
				return within(imported, a)
			}) {
				t.Errorf("%s imports %s, but %s", dir, imported, rule.reason)
			}
		}
	}
}

// within reports whether a rule allows a package: by its own name or that of its module.
func within(imported, allowed string) bool {
	return imported == allowed || strings.Contains(allowed, ".") &&
		strings.HasPrefix(imported, allowed+"/")
}

// importsByPackage returns the imports of each package below root outside the standard library, not
// counting tests; those of the project without the module's name.
func importsByPackage(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
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
