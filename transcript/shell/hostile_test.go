package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// Variables that contain others, and loops over long lists, must not make much of a short command.
func TestExpansionsAreLimited(t *testing.T) {
	nested := "a=xxxxxxxxxx\n"
	for i := range 6 {
		name, inner := string(rune('b'+i)), string(rune('a'+i))
		nested += name + "=" + strings.Repeat("$"+inner, 10) + "\n"
	}
	for _, c := range Read(nested + "rm y $g z") {
		if len(c.Path) > maxExpanded {
			t.Errorf("%d bytes of variables: a path of %d bytes", len(nested), len(c.Path))
		}
	}
	r := reader{variables: map[string][]word{}}
	for range 4000 {
		r.variables["f"] = append(r.variables["f"], word{text: "a", ok: true})
	}
	words := 0
	for range 4000 {
		words += len(r.valuesOf(variable("f")))
	}
	if words == 0 || words > maxExpanded {
		t.Errorf("%d values, want at most %d and some", words, maxExpanded)
	}
}

// variable returns the expansion of a variable.
func variable(name string) *syntax.ParamExp {
	return &syntax.ParamExp{Param: &syntax.Lit{Value: name}}
}
