package transcript

import (
	"strings"
	"testing"
	"unicode"

	"killick/rawjson"
	"killick/view"
)

// FuzzCall: no path contains a control character or a line break, whatever the arguments are.
func FuzzCall(f *testing.F) {
	for _, seed := range []struct{ tool, arguments string }{
		{"Read", `{"file_path":"/a/b.go"}`},
		{"read", `{"path":"a\nb\u0085c\u2028d"}`},
		{"apply_patch",
			"*** Begin Patch\n*** Add File: a\vb.go\n*** Move to: c\x00d\n*** End Patch"},
		{"apply_patch", `{"input":"--- a/x\n+++ b/y\u000b\n@@\n"}`},
		{"shell", `{"command":["bash","-lc","ls"]}`},
		{"schreibe", `{"pfad":"a\u202eb.go","inhalt":"x"}`},
		{"TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`},
		{"x", `{"a":[[[[{"b":"c/d.go"}]]]]}`},
		{"x", `{`}, {"x", "\xff"}, {"", ""},
		{"exec", `await tools.apply_patch("*** Begin Patch\n*** Add File: a\x0bb\u202e.go\n")`},
		{"exec", `{"input":"text(await tools.exec_command({cmd: 'cat a\u2028b.go'}))"}`},
	} {
		f.Add(seed.tool, seed.arguments)
	}
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		made := view.ToolCall{
			Name:      tool,
			Arguments: rawjson.Value(rawjson.AppendQuoted(nil, arguments)),
		}
		c := NewCall(made, 0)
		for _, p := range c.Paths {
			if p.Name == "" || strings.ContainsFunc(p.Name, unicode.IsControl) ||
				strings.ContainsAny(p.Name, "\u2028\u2029") {
				t.Fatalf("path %q of %s %q", p.Name, tool, arguments)
			}
		}
		if c.Effect > Runs {
			t.Fatalf("effect %d of %s %q", c.Effect, tool, arguments)
		}
		c.Key()
		c.Decoded()
		c.Ranged()
		_ = Todos{}.After(&c, arguments)
	})
}
