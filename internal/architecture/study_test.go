package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The study of the proof measures what is shipped: every function of package probe
// that it calls is one that the program calls to prove a record. (The other half of
// the study sends requests through the wired proxy.)
func TestTheStudyCallsWhatTheProgramCalls(t *testing.T) {
	declared := map[string]bool{}
	for _, file := range sources(t, "../../probe/*.go", false) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
				declared[f.Name.Name] = true
			}
		}
	}
	program := map[string]bool{}
	for _, file := range sources(t, "../../compactor/prepare/*.go", false) {
		for name := range called(file) {
			program[name] = true
		}
	}
	measured := 0
	for _, pattern := range []string{"../../probe/liars_test.go", "../../probe/study_test.go",
		"../../probe/kinds_test.go", "../../probe/takenback_test.go"} {
		for _, file := range sources(t, pattern, true) {
			for name := range called(file) {
				if !declared[name] {
					continue
				}
				if measured++; !program[name] {
					t.Errorf("%s measures %s, which the program does not call", pattern, name)
				}
			}
		}
	}
	if measured < 4 {
		t.Errorf("the study calls %d functions of package probe: this test sees nothing", measured)
	}
}

func sources(t *testing.T, pattern string, tests bool) (all []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	return all
}

// called are the names of the functions and methods that a file calls.
func called(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch f := c.Fun.(type) {
			case *ast.Ident:
				names[f.Name] = true
			case *ast.SelectorExpr:
				names[f.Sel.Name] = true
			}
		}
		return true
	})
	return names
}
