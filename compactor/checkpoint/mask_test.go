package checkpoint

import (
	"testing"

	"killick/internal/chattest"
)

func TestMaskedOutputKeepsItsMark(t *testing.T) {
	const part = `{"type":"text","text":"a"}`
	const marked = `{"type":"text","text":"a","cache_control":{}}`
	for in, want := range map[string]string{
		`{"role":"tool","content":[` + marked + `,{"type":"text","text":"b"}]}`: `` +
			`{"role":"tool","content":[{"type":"text","text":"P","cache_control":{}}]}`,
		`{"role":"tool","content":[` + part + `,` + marked + `]}`: `` +
			`{"role":"tool","content":[{"type":"text","text":"P","cache_control":{}}]}`,
		`{"role":"tool","content":[` + part + `,{"type":"text","text":"b"}]}`: `` +
			`{"role":"tool","content":[{"type":"text","text":"P"}]}`,
		`{"cache_control":{},"role":"tool","content":"long"}`: `` +
			`{"cache_control":{},"role":"tool","content":"P"}`,
		`{"role":"tool","content":[{"type":"text","text":"a","cache_control":{"x":1}},` + marked +
			`,` + part + `]}`: `{"role":"tool","content":[` +
			`{"type":"text","text":"P","cache_control":{}}]}`,
		`{"role":"tool","content":[` + part + `,{"type":"image_url"}]}`: `` +
			`{"role":"tool","content":"P"}`,
		`{"role":"tool","content":[]}`: `{"role":"tool","content":"P"}`,
	} {
		m := chattest.Message(t, in)
		if got := Masked(m, "P"); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
