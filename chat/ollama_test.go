package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

// ollamaSession has everything that Ollama's format spells otherwise than chat completions.
const ollamaSession = `{"model":"qwen3:8b", "messages":[
	{"role":"system","content":"You."},
	{"role":"user","content":"Read both.","images":["iVBORw0KGgo=", "\/9j/4AAQ"]},
	{"role":"assistant","thinking":"hm","content":"I will.","tool_calls":[
		{"function":{"index":0,"name":"read","arguments":{"path": "a"}}},
		{"id":"x","function":{"index":1,"name":"list","arguments":{}}}]},
	{"role":"tool","tool_name":"list","content":"b"},
	{"role":"tool","tool_name":"read","content":"A"},
	{"content":"go on","role":"user"}],
	"tools":[{"type":"function","function":{"name":"read"}}],"format":{"type":"object"},
	"think":true,"keep_alive":"5m","options":{"num_ctx":8192,"num_predict":77,"seed":1}}`

func TestOllamaIsRead(t *testing.T) {
	r := viewtest.Parse(t, Ollama, ollamaSession)
	want := []string{
		`system "You."`,
		`user "Read both." and more`,
		`assistant "I will." =read({"path": "a"}) #1=list({}) and more`,
		`tool "b" to #1`,
		`tool "A" to `,
		`user "go on"`,
	}
	if got, want := viewtest.Describe(r), strings.Join(want, "\n"); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	if groups := view.Groups(r.Messages()); len(groups) != 4 || groups[2].End != 5 ||
		groups[2].Open {
		t.Errorf("groups %+v, want the calls with their results as the third of four", groups)
	}
	p, limits := r.Preamble(), r.Limits()
	if r.Model() != "qwen3:8b" || len(p.Tools) != 1 || string(p.Schema) != `{"type":"object"}` ||
		limits != (view.Limits{Output: 77, Window: 8192}) {
		t.Errorf("%s: %s, limits %+v", r.Model(), p, limits)
	}
	var types []string
	for part := range r.Messages()[1].Parts() {
		types = append(types, part.Type)
	}
	if !slices.Equal(types, []string{"text", "image", "image"}) {
		t.Errorf("parts %s", types)
	}
	for options, want := range map[string]view.Limits{
		`{}`: {}, `null`: {}, `{"num_ctx":null,"num_predict":-1}`: {},
		`{"num_ctx":"8192"}`: {}, `{"num_ctx":-5}`: {},
	} {
		r := viewtest.Parse(t, Ollama, `{"messages":[],"format":"json","options":`+options+`}`)
		if got := r.Limits(); got != want || r.Preamble().Schema != nil {
			t.Errorf("%s: %+v, want %+v; schema %s", options, got, want, r.Preamble().Schema)
		}
	}
}

// A result answers the call with its id, else the first of its name, else the first one that has
// no result yet.
func TestResultsOfOllama(t *testing.T) {
	turn := `{"role":"assistant","content":"","tool_calls":[` +
		`{"id":"1","function":{"name":"a"}},{"id":"2","function":{"name":"b"}},` +
		`{"function":{"name":"a"}}]}`
	for results, want := range map[string]string{
		`{} {} {}`: ` #1 #2`,
		`{"tool_name":"a"} {"tool_name":"a"} {"tool_name":"b"}`:              ` #2 #1`,
		`{"name":"b"} {"name":"a"} {"name":"a"}`:                             `#1  #2`,
		`{"tool_call_id":"2"} {"tool_call_id":"1"} {}`:                       `#1  #2`,
		`{"tool_call_id":"2","tool_name":"a"} {"tool_name":"a"} {}`:          `#1  #2`,
		`{"tool_call_id":"9"} {"tool_name":"c"} {"tool_name":"","name":"b"}`: ` #1 #2`,
		`{} {"tool_name":"a"} {"tool_call_id":""}`:                           ` #2 #1`,
		`{} {} {} {}`: ` #1 #2 #3`,
	} {
		list := []string{turn}
		for result := range strings.FieldsSeq(results) {
			list = append(list, strings.Replace(result, "{", `{"role":"tool",`, 1))
		}
		body := `{"messages":[` + strings.Join(list, ",") + `]}`
		body = strings.ReplaceAll(body, ",}", "}")
		r := viewtest.Parse(t, Ollama, body)
		var ids []string
		for i := range r.Messages()[1:] {
			ids = append(ids, r.Messages()[1+i].ToolCallID())
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %q, want %q", results, got, want)
		}
	}
	r := viewtest.Parse(t, Ollama, `{"messages":[`+turn+`,{"role":"tool"},{"role":"tool"},`+
		`{"role":"user","content":"a"},{"role":"tool"}]}`)
	if g := view.Groups(r.Messages()); len(g) != 1 || g[0].Open {
		t.Errorf("a message of the user among results: groups %+v", g)
	}
	r = viewtest.Parse(t, Ollama, `{"messages":[`+turn+`,{"role":"user","content":"a"},`+
		`{"role":"tool"}]}`)
	if id := r.Messages()[2].ToolCallID(); id != "" {
		t.Errorf("behind a message of the user: a result of call %s, want the first", id)
	}
	for _, result := range []string{`{"role":"tool","tool_name":"a"}`, `{"role":"tool"}`} {
		r = viewtest.Parse(t, Ollama, `{"messages":[`+result+`]}`)
		if n := len(r.Messages()); n != 1 {
			t.Errorf("a result without a turn before it: %d messages, want 1", n)
		}
	}
	r = viewtest.Parse(t, Ollama, `{"messages":[{"role":"assistant","tool_calls":[`+
		`{"id":"","function":{"name":"a"}},{"id":"","function":{"name":"b"}}]},`+
		`{"role":"tool","tool_call_id":"","tool_name":"b"}]}`)
	if id := r.Messages()[1].ToolCallID(); id != "#1" {
		t.Errorf("with empty ids: a result of call %q, want the one of its name", id)
	}
	calls := strings.Repeat(`{"function":{"name":"a"}},`, 99) + `{"function":{"name":"a"}}`
	r = viewtest.Parse(t, Ollama, `{"messages":[{"role":"assistant","tool_calls":[`+calls+`]}`+
		strings.Repeat(`,{"role":"tool","tool_name":"a","content":"r"}`, 100)+`]}`)
	if g := view.Groups(r.Messages()); len(g) != 1 || g[0].Open {
		t.Errorf("a hundred calls with their results: groups %+v", g)
	}
}

// Thoughts, ids and spelling do not make another message; names, arguments and images do.
func TestOllamaCanonical(t *testing.T) {
	call := func(inside string) string {
		return `{"role":"assistant","content":"a","tool_calls":[{` + inside + `}]}`
	}
	const function = `"function":{"name":"f","arguments":{"p":1}}`
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"a thought": {`{"role":"assistant","content":"a","thinking":"hm"}`,
			`{"role":"assistant","content":"\u0061"}`, true},
		"ids": {call(`"id":"1",` + function), call(function), true},
		"an index": {call(`"function":{"index":0,"name":"f","arguments":{ "p":1}}`),
			call(function), true},
		"arguments": {call(function), call(`"function":{"name":"f","arguments":{"p":2}}`), false},
		"the id of a result": {`{"role":"tool","tool_call_id":"1","content":"a"}`,
			`{"role":"tool","content":"a"}`, true},
		"the name of a result": {`{"role":"tool","tool_name":"f","content":"a"}`,
			`{"role":"tool","tool_name":"g","content":"a"}`, false},
		"images": {`{"role":"user","content":"a","images":["AA"]}`,
			`{"role":"user","content":"a","images":["AB"]}`, false},
		"an image and its text": {`{"role":"user","content":"","images":["AA"]}`,
			`{"role":"user","content":"AA"}`, false},
		"texts": {`{"role":"user","content":"a"}`, `{"role":"user","content":"b"}`, false},
		"roles": {`{"role":"user","content":"a"}`, `{"role":"assistant","content":"a"}`, false},
		"names": {call(function), call(`"function":{"name":"g","arguments":{"p":1}}`), false},
		"parts of no known kind": {`{"role":"user","content":[{"type":"thinking","x":1}]}`,
			`{"role":"user","content":[{"type":"thinking","x":2}]}`, false},
	} {
		viewtest.Same(t, Ollama, name, c.a, c.b, c.same)
	}
}

// A content stays a string, and images stay beside it.
func TestOllamaWithContent(t *testing.T) {
	const message = `{"role":"user","content":"old","images":["AA","BB"],"x":1}`
	for content, want := range map[string]string{
		`"new"`: `{"role":"user","content":"new","images":["AA","BB"],"x":1}`,
		`[{"type":"text","text":"a\n"},"AA","BB"]`: `{"role":"user","content":"a\n",` +
			`"images":["AA","BB"],"x":1}`,
		`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`: `{"role":"user",` +
			`"content":"a\n\nb","x":1}`,
	} {
		m, err := Ollama.Message([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(m.WithContent([]byte(content))); got != want {
			t.Errorf("%s: %s, want %s", content, got, want)
		}
	}
}

func FuzzOllama(f *testing.F) {
	f.Add([]byte(ollamaSession), uint8(1), uint8(3))
	f.Add([]byte(`{"messages":[{"role":"tool"},{"role":"tool","tool_name":7,"images":[{}]},`+
		`{"content":[{"type":"thinking","thinking":"a"},"b"],"thinking":[]}]}`), uint8(0), uint8(9))
	f.Add(fmt.Appendf(nil, `{"messages":[{"role":"assistant","tool_calls":[1,{"id":"a"}]}%s]}`,
		strings.Repeat(`,{"role":"tool","tool_call_id":"a"}`, maxResults+2)), uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, from, to uint8) {
		viewtest.Check(t, Ollama, body, int(from), int(to))
	})
}
