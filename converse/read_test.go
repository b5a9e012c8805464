package converse

import (
	"errors"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
	"killick/view/marks"
)

const session = `{"messages":[
	{"role":"user","content":[{"text":"Read both."},
		{"image":{"format":"png","source":{"bytes":"AA=="}}}, {"cachePoint":{"type":"default"}}]},
	{"role":"assistant","content":[
		{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},
		{"text":"I will."}, {"toolUse":{"toolUseId":"a","name":"read","input":{"path":"a"}}},
		{"toolUse":{"toolUseId":"b","name":"read","input":{"path":"b"}}}]},
	{"role":"user","content":[
		{"toolResult":{"toolUseId":"a","content":[{"text":"A"}]}},
		{"toolResult":{"toolUseId":"b","content":[{"json":{"no":"b"}}],"status":"error"}},
		{"cachePoint":{"type":"default","ttl":"1h"}}, {"text":"Be brief."}]},
	{"role":"assistant","content":[{"citationsContent":{"content":[{"text":"As said."}],
		"citations":[]}}]},
	{"content":[{"text":"go on"}],"role":"user"}],
	"system":[{"text":"You."},{"cachePoint":{"type":"default"}},
		{"guardContent":{"text":{"text":"Guarded."}}}],
	"inferenceConfig":{"maxTokens":9},
	"toolConfig":{"tools":[{"toolSpec":{"name":"read","inputSchema":{"json":{}}}}],
		"toolChoice":{"tool":{"name":"read"}}}}`

func parse(t testing.TB, body string) *view.Request {
	t.Helper()
	return viewtest.Parse(t, Format, body)
}

func TestRead(t *testing.T) {
	r := parse(t, session)
	want := []string{
		`user "Read both." and more`,
		`assistant "I will." a=read({"path":"a"}) b=read({"path":"b"}) and more`,
		`tool "A" to a`,
		`tool "{\"no\":\"b\"}" to b failed`,
		`user "Be brief."`,
		`assistant "As said."`,
		`user "go on"`,
	}
	if got, want := viewtest.Describe(r), strings.Join(want, "\n"); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	if groups := view.Groups(r.Messages()); len(groups) != 5 || groups[1].End != 4 ||
		groups[1].Open {
		t.Errorf("groups %+v, want the call with its two results as the second of five", groups)
	}
	p := r.Preamble()
	if len(p.Instructions) != 2 || p.Instructions[1].Text() != "Guarded." ||
		r.Limits().Output != 9 || len(p.Tools) != 1 || !p.Choice.Get("name").Is("read") {
		t.Errorf("%s, at most %d tokens", p, r.Limits().Output)
	}
	if got := marks.Retention(r).String(); got != "1h0m0s" {
		t.Errorf("cached for %s, want as the last cache point says", got)
	}
}

func TestNotRead(t *testing.T) {
	for want, elements := range map[error][]string{
		view.ErrNoMessages: {`"hi"`, `{"role":"user"}`, `{"role":"user","content":"hi"}`,
			`{"content":[{"text":"hi"}]}`},
		view.ErrDuplicate: {`{"role":"user","role":"a"}`, `{"content":[],"content":[]}`,
			`{"content":[{"text":"a","text":"b"}]}`, `{"content":[{"text":"a","image":{}}]}`,
			`{"content":[{"toolUse":{"input":{},"input":{}}}]}`,
			`{"content":[{"toolUse":{"toolUseId":"","toolUseId":""}}]}`,
			`{"content":[{"toolResult":{"content":[{"text":"","text":""}]}}]}`},
	} {
		for _, element := range elements {
			_, err := view.Parse(Format, []byte(`{"messages":[`+element+`]}`))
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", element, err, want)
			}
		}
	}
}

// What is not documented, or where it does not belong, stays with its neighbours.
func TestUnknownBlocks(t *testing.T) {
	const call = `{"toolUse":{"toolUseId":"a","name":"f","input":{}}}`
	const hosted = `{"toolUse":{"toolUseId":"a","name":"f","input":{},"type":"server_tool_use"}}`
	const found = `{"toolResult":{"toolUseId":"a","content":[],"type":"nova_grounding"}}`
	for block, want := range map[string]view.Flags{
		`user {"text":"a"}`:                               0,
		`user {"image":{}},{"cachePoint":{}}`:             0,
		`user {"somethingNew":{}}`:                        view.Unknown,
		`user {"text":"a","somethingNew":1}`:              view.Unknown,
		`user {"json":{}}`:                                view.Unknown,
		`user {}`:                                         view.Unknown,
		`user "a"`:                                        view.Unknown,
		`user ` + call:                                    view.Unknown,
		`user {"guardContent":{}}`:                        view.Fixed,
		`user {"reasoningContent":{}}`:                    view.Unknown,
		`user ` + hosted:                                  view.Unknown,
		`narrator {"text":"a"}`:                           view.Unknown,
		`assistant ` + call:                               0,
		`assistant {"toolResult":{"content":[]}}`:         view.Unknown,
		`assistant ` + hosted + `,` + found:               view.Hosts,
		`assistant ` + hosted:                             view.Unknown | view.Hosts,
		`assistant ` + found:                              view.Unknown,
		`assistant {"reasoningContent":{}},{"text":"a"}`:  view.Signed | view.StartsSigned,
		`assistant {"text":"a"},{"reasoningContent":{}}`:  view.Signed,
		`user {"toolResult":{"content":[{"video":{}}]}}`:  0,
		`user {"toolResult":{"content":"a"}}`:             view.Unknown,
		`user {"toolResult":{"content":[{"later":{}}]}}`:  view.Unknown,
		`user {"cachePoint":{}},{"toolResult":{}}`:        view.Unknown | view.Several,
		`user {"text":"a"},{"toolResult":{"content":[]}}`: view.Several,
	} {
		role, blocks, _ := strings.Cut(block, " ")
		m := parse(t, `{"messages":[{"role":"`+role+`","content":[`+blocks+`]}]}`).Messages()[0]
		if m.Fields().Flags != want {
			t.Errorf("%s: flags %b, want %b", block, m.Fields().Flags, want)
		}
	}
}

func TestWithContent(t *testing.T) {
	msgs := parse(t, session).Messages()
	for i, want := range map[int]string{
		0: `{"role":"user","content":[{"text":"x"}]}`,
		2: `{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}`,
		3: `{"toolResult":{"toolUseId":"b","content":[{"text":"x"}],"status":"error"}},` +
			"\n\t\t" + `{"cachePoint":{"type":"default","ttl":"1h"}}`,
		4: `{"text":"x"}`,
		6: `{"content":[{"text":"x"}],"role":"user"}`,
	} {
		for _, content := range []string{`"x"`, `["x"]`, ` [{"text":"x"}] `} {
			if got := string(msgs[i].WithContent([]byte(content))); got != want {
				t.Errorf("message %d with %s became %s, want %s", i, content, got, want)
			}
		}
	}
}

func TestWithoutSigned(t *testing.T) {
	const thought, point = `{"reasoningContent":{"redactedContent":"AA=="}}`, `{"cachePoint":{}}`
	const call = `{"toolUse":{"toolUseId":"a"}}`
	for content, want := range map[string]string{
		`{"text":"a"}, ` + thought:                 `{"text":"a"}`,
		thought + ` , {"text":"a"}`:                ` {"text":"a"}`,
		thought + `,` + point + `,{"text":"a"}`:    `{"text":"a"}`,
		`{"text":"a"},` + thought + `,` + point:    `{"text":"a"},` + point,
		thought + `,` + point:                      "",
		thought + `,` + call + `,` + thought + ` `: call + ` `,
	} {
		m := parse(t, `{"messages":[{"role":"assistant","content":[`+content+`]}]}`).Messages()[0]
		if want != "" {
			want = `{"role":"assistant","content":[` + want + `]}`
		}
		if got := string(Format.WithoutSigned(&m)); got != want {
			t.Errorf("%s became %s, want %s", content, got, want)
		}
	}
}

// Thinking, cache points and spelling do not make another message; ids, arguments and results do.
func TestCanonical(t *testing.T) {
	model := func(blocks string) string { return `{"role":"assistant","content":[` + blocks + `]}` }
	const call = `{"toolUse":{"toolUseId":"a","name":"f","input":{"p":1}}}`
	const result = `{"toolResult":{"toolUseId":"a","content":[{"text":"A"}]}}`
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"a thought":       {model(`{"reasoningContent":{}},` + call), model(call), true},
		"a cache point":   {model(call + `,{"cachePoint":{}}`), model(call), true},
		"one of a result": {result + `, {"cachePoint":{}}`, result, true},
		"escapes":         {model(`{"text":"\u0041"}`), model(`{"text":"A"}`), true},
		"white space":     {model(call), model(strings.ReplaceAll(call, ":", " : ")), true},
		"arguments":       {model(call), strings.Replace(model(call), "1", "2", 1), false},
		"a status": {result, strings.Replace(result, `]}`, `],"status":"error"}`, 1),
			false},
		"two texts": {model(`{"text":"a"},{"text":"b"}`), model(`{"text":"ab"}`), false},
		"a role": {model(`{"text":"a"}`), `{"role":"user","content":[{"text":"a"}]}`,
			false},
		"a run of blocks":  {`{"text":"a"}`, `{"role":"user","content":[{"text":"a"}]}`, false},
		"JSON and a text":  {result, strings.Replace(result, "text", "json", 1), false},
		"an unknown block": {model(`{"new":1}`), model(`{"new":2}`), false},
	} {
		viewtest.Same(t, Format, name, c.a, c.b, c.same)
	}
}

func FuzzView(f *testing.F) {
	f.Add([]byte(session), uint8(1), uint8(3))
	f.Add([]byte(session), uint8(1), uint8(4))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"toolResult":{"content":[7,{}]}},7,{},`+
		`{"cachePoint":{}}]},{"role":"assistant","content":[]}]}`), uint8(0), uint8(9))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"toolResult":{},"content":[]}]},`+
		`{"role":"user","content":[]},{"content":[{"text":""}],"role":"user","x":[]}]}`),
		uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, from, to uint8) {
		viewtest.Check(t, Format, body, int(from), int(to))
	})
}
