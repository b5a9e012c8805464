package gemini

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

const session = `{"contents":[
	{"role":"user","parts":[{"text":"Read both."},
		{"inlineData":{"mimeType":"image/png","data":"AA"}}]},
	{"role":"model","parts":[{"text":"hm","thought":true},
		{"text":"I will.","thoughtSignature":"s1"},
		{"functionCall":{"name":"read","args":{"path":"a"}},"thoughtSignature":"s2"},
		{"functionCall":{"name":"read","args":{"path":"b"}}}]},
	{"role":"user","parts":[
		{"functionResponse":{"id":"x1","name":"read","response":{"output":"A"}}},
		{"functionResponse":{"id":"x2","name":"read","response":{"error":"no \"b\"","code":2}}},
		{"text":"Be brief."}, {"fileData":{"fileUri":"u"}}]},
	{"parts":[{"text":"go on"}]}],
	"systemInstruction":{"parts":[{"text":"You."}]},"generationConfig":{"maxOutputTokens":9}}`

func parse(t testing.TB, body string) *view.Request {
	t.Helper()
	return viewtest.Parse(t, Format, body)
}

func TestRead(t *testing.T) {
	r := parse(t, session)
	want := []string{
		`user "Read both." and more`,
		`assistant "I will." read=read({"path":"a"}) read#1=read({"path":"b"}) and more`,
		`tool "A" to read`,
		`tool "{\"error\":\"no \\\"b\\\"\",\"code\":2}" to read#1`,
		`user "Be brief." and more`,
		`user "go on"`,
	}
	if got, want := viewtest.Describe(r), strings.Join(want, "\n"); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	if groups := view.Groups(r.Messages()); len(groups) != 4 || groups[1].End != 4 ||
		groups[1].Open {
		t.Errorf("groups %+v, want the call with its two results as the second of four", groups)
	}
	p := r.Preamble()
	if len(p.Instructions) != 1 || p.Instructions[0].Text() != "You." || r.Limits().Output != 9 {
		t.Errorf("instructions %s, at most %d tokens", p.Instructions, r.Limits().Output)
	}
}

// Which call a result answers, by ids where both have them, and else by order.
func TestResultsAnswerCalls(t *testing.T) {
	const result = `{"functionResponse":{%s"name":"f","response":{"output":"r"}}}`
	of := func(id string) string {
		if id != "" {
			id = fmt.Sprintf(`"id":%q,`, id)
		}
		return fmt.Sprintf(result, id)
	}
	for name, c := range map[string]struct{ ids, results, want string }{
		"no ids":                  {"- -", "- -", "f f#1"},
		"ids, in another order":   {"a b", "b a", "f#1 f"},
		"ids of results alone":    {"- -", "x y", "f f#1"},
		"ids of calls alone":      {"a b", "- -", "f f#1"},
		"an id for one of two":    {"- b", "b -", "f#1 f"},
		"results in two contents": {"- - -", "- / - -", "f f#1 f#2"},
		"more results than calls": {"-", "- -", "f f#1"},
	} {
		var calls, results []string
		for id := range strings.FieldsSeq(c.ids) {
			call := `{"functionCall":{"name":"f","args":{}}}`
			if id != "-" {
				call = fmt.Sprintf(`{"functionCall":{"id":%q,"name":"f","args":{}}}`, id)
			}
			calls = append(calls, call)
		}
		for id := range strings.FieldsSeq(c.results) {
			switch id {
			case "/":
				last := len(results) - 1
				results[last] += `]},{"role":"function","parts":[` + of("")
			case "-":
				results = append(results, of(""))
			default:
				results = append(results, of(id))
			}
		}
		if strings.Contains(c.results, "/") {
			results = append(results[:1], results[2:]...)
		}
		r := parse(
			t,
			`{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[`+
				strings.Join(
					calls,
					",",
				)+`]},{"role":"user","parts":[`+strings.Join(results, ",")+`]}]}`,
		)
		var got []string
		for _, m := range r.Messages()[2:] {
			got = append(got, m.ToolCallID())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestNotRead(t *testing.T) {
	for body, want := range map[string]error{
		`{"contents":"hi"}`:                                  view.ErrNoMessages,
		`{"contents":[{"role":"user"}]}`:                     view.ErrNoMessages,
		`{"contents":["hi"]}`:                                view.ErrNoMessages,
		`{"contents":[{"parts":[{"text":"a","text":"b"}]}]}`: view.ErrDuplicate,
		`{"contents":[{"parts":[],"parts":[]}]}`:             view.ErrDuplicate,
		`{"contents":[{"parts":[{"functionResponse":` +
			`{"name":"a","name":"b"}}]}]}`: view.ErrDuplicate,
		`{"contents":[{"parts":[{"text":"a","inlineData":{}}]}]}`: view.ErrDuplicate,
		`{"contents":[{"parts":[{"functionResponse":` +
			`{"parts":[],"parts":[]}}]}]}`: view.ErrDuplicate,
		`{"messages":[]}`: view.ErrNoMessages,
	} {
		if _, err := view.Parse(Format, []byte(body)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", body, err, want)
		}
	}
}

// What is not documented, or where it does not belong, stays with its neighbours.
func TestUnknownParts(t *testing.T) {
	for part, want := range map[string]view.Flags{
		`{"text":"a"}`:                          0,
		`{"text":"a","thoughtSignature":"s"}`:   0,
		`{"somethingNew":{}}`:                   view.Unknown,
		`{"text":"a","somethingNew":1}`:         view.Unknown,
		`{"functionCall":{"name":"f"}}`:         view.Unknown,
		`{"text":"a","thought":true}`:           view.Unknown,
		`{"inline_data":{},"videoMetadata":{}}`: 0,
		`"a"`:                                   view.Unknown,
	} {
		m := parse(t, `{"contents":[{"role":"user","parts":[`+part+`]}]}`).Messages()[0]
		if m.Fields().Flags != want {
			t.Errorf("%s: flags %b, want %b", part, m.Fields().Flags, want)
		}
	}
}

func TestWithContent(t *testing.T) {
	msgs := parse(t, session).Messages()
	for i, want := range map[int]string{
		0: `{"role":"user","parts":[{"text":"x"}]}`,
		2: `{"functionResponse":{"id":"x1","name":"read","response":{"output":"x"}}}`,
		3: `{"functionResponse":{"id":"x2","name":"read","response":{"output":"x"}}}`,
		4: `{"text":"x"}`,
		5: `{"parts":[{"text":"x"}]}`,
	} {
		if got := string(msgs[i].WithContent([]byte(`"x"`))); got != want {
			t.Errorf("message %d became %s, want %s", i, got, want)
		}
	}
}

// Thoughts, signatures and spelling do not make another message; ids, arguments and results do.
func TestCanonical(t *testing.T) {
	model := func(parts string) string { return `{"role":"model","parts":[` + parts + `]}` }
	const call = `{"functionCall":{"name":"f","args":{"p":1}}}`
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"a thought": {model(`{"text":"hm","thought":true},` + call), model(call), true},
		"a signature": {model(call), model(`{"functionCall":{"name":"f","args":{ "p":1}},` +
			`"thoughtSignature":"skip"}`), true},
		"escapes":             {model(`{"text":"\u0041"}`), model(`{"text":"A"}`), true},
		"arguments":           {model(call), strings.Replace(model(call), "1", "2", 1), false},
		"two texts":           {model(`{"text":"a"},{"text":"b"}`), model(`{"text":"ab"}`), false},
		"a role":              {model(`{"text":"a"}`), `{"parts":[{"text":"a"}]}`, false},
		"a run and a content": {`{"text":"a"}`, `{"role":"user","parts":[{"text":"a"}]}`, false},
	} {
		viewtest.Same(t, Format, name, c.a, c.b, c.same)
	}
}

// What only the server has cannot be compacted.
func TestCachedContentPasses(t *testing.T) {
	const rest = `"contents":[{"parts":[{"text":"a"}]}]}`
	for body, want := range map[string]view.Passthrough{
		`{` + rest: "",
		`{"cachedContent":"cachedContents/1",` + rest:  view.ServerState,
		`{"cached_content":"cachedContents/1",` + rest: view.ServerState,
		`{"cachedContent":null,` + rest:                "",
	} {
		if got := parse(t, body).Format().Rules(parse(t, body)).Passthrough; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// assist is the session as the body of a request for Code Assist.
const assist = `{"model":"m","project":"p","request":` + session + `,"tools":[{"x":1}]}`

// What is within the request is read, and the model beside it. The rest stays as it is.
func TestCodeAssist(t *testing.T) {
	r, err := view.Parse(CodeAssist, []byte(assist))
	if err != nil {
		t.Fatal(err)
	}
	plain := parse(t, session)
	n := len(plain.Messages())
	if len(r.Messages()) != n || r.Model() != "m" || r.Limits().Output != 9 ||
		len(r.Preamble().Instructions) != 1 || r.Field("tools") != nil ||
		r.Field("project") != nil {
		t.Fatalf("%d messages of %q, %+v", len(r.Messages()), r.Model(), r.Preamble())
	}
	pieces := []view.Piece{{To: 1}, {Raw: []byte(`{"parts":[{"text":"x"}]}`)}, {From: 4, To: n}}
	want := strings.Replace(assist, session, string(plain.Splice(pieces)), 1)
	if got := string(r.Splice(pieces)); got != want {
		t.Errorf("a splice made\n%s\nwant\n%s", got, want)
	}
	const one = `"contents":[{"parts":[]}]`
	for body, want := range map[string]error{
		session:                                                    view.ErrNoMessages,
		`{` + one + `,"request":{}}`:                               view.ErrNoMessages,
		`{"request":[{"contents":[]}]}`:                            view.ErrNoMessages,
		`{"request":{"request":{` + one + `}}}`:                    view.ErrNoMessages,
		`{"request":{` + one + `},"request":{}}`:                   view.ErrDuplicate,
		`{"request":1,"request":{` + one + `}}`:                    view.ErrDuplicate,
		`{"request":{` + one + `,"contents":[]}}`:                  view.ErrDuplicate,
		`{"request":{` + one + `},}`:                               view.ErrNotJSON,
		`{"request":{` + one + `}`:                                 view.ErrNotJSON,
		`{"request":{` + one + `,"model":"n"},"model":"m","a":{}}`: nil,
	} {
		r, err := view.Parse(CodeAssist, []byte(body))
		if !errors.Is(err, want) || err == nil && r.Model() != "m" {
			t.Errorf("%s: %v, want %v", body, err, want)
		}
	}
}

func FuzzCodeAssist(f *testing.F) {
	f.Add([]byte(assist), uint8(1), uint8(3))
	f.Add([]byte(`{"request":{"contents":[{"parts":[7,{}]}],"model":"n"},"request":1}`), uint8(0),
		uint8(9))
	f.Fuzz(func(t *testing.T, body []byte, from, to uint8) {
		viewtest.Check(t, CodeAssist, body, int(from), int(to))
	})
}

func FuzzView(f *testing.F) {
	f.Add([]byte(session), uint8(1), uint8(3))
	f.Add([]byte(`{"contents":[{"parts":[{"function_response":{"response":{"a":"b"}}},7,{}]},`+
		`{"role":"model","parts":[]}]}`), uint8(0), uint8(9))
	f.Add([]byte(`{"contents":[{"role":"user","parts":[{"functionResponse":{},"parts":1}]}]}`),
		uint8(0), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, from, to uint8) {
		viewtest.Check(t, Format, body, int(from), int(to))
	})
}

func TestFailed(t *testing.T) {
	for response, want := range map[string]bool{
		`{"error":"no such file"}`: true, `{"error":{"code":2}}`: true, `{"output":"error"}`: false,
		`{"error":null}`: false, `{"error":"e","output":"o"}`: false,
		`{"output":"o","error":"e"}`: false,
		`{}`:                         false, `"error"`: false,
	} {
		m, err := Format.Message(
			[]byte(`{"functionResponse":{"name":"f","response":` + response + `}}`),
		)
		if err != nil || m.Is(view.Failed) != want {
			t.Errorf("%s: %t (%v), want %t", response, m.Is(view.Failed), err, want)
		}
	}
}

// The text of a result is replaced where it stands.
func TestTextsOfResponses(t *testing.T) {
	for response, want := range map[string]string{
		`{"error":"e"}`:                               `{"error":"x"}`,
		`{"error":{"details":"e"}}`:                   `{"error":{"details":"x"}}`,
		`{"error":{"details":{"code":2}}}`:            `{"output":"x"}`,
		`{"error":{"details":"e","code":2}}`:          `{"output":"x"}`,
		`{"error":{"reason":"e"}}`:                    `{"output":"x"}`,
		`{"output":{"details":"e"}}`:                  `{"output":"x"}`,
		`{"error":{"details":"e"},"output":"o"}`:      `{"output":"x"}`,
		`{"error":{"details":"e"},"error":{"a":"b"}}`: `{"output":"x"}`,
		`{"name":"f","content":"e"}`:                  `{"name":"f","content":"x"}`,
		`{"name":"g","content":"e"}`:                  `{"output":"x"}`,
		`{"name":"f","content":{"a":1}}`:              `{"output":"x"}`,
		`{"name":"f","content":"e","more":1}`:         `{"output":"x"}`,
		`{"content":"e","name":"f"}`:                  `{"output":"x"}`,
	} {
		form := `{"functionResponse":{"name":"f","response":%s}}`
		m, err := Format.Message(fmt.Appendf(nil, form, response))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Format.WithContent(&m, []byte(`"x"`))); got != fmt.Sprintf(form, want) {
			t.Errorf("%s: %s", response, got)
		}
	}
}

// Media beside a response are parts of the result, and stay as they are when the text is replaced.
func TestMediaOfResults(t *testing.T) {
	const form = `{"functionResponse":{"name":"f","response":{"output":%s},"parts":[` +
		`{"inlineData":{"mimeType":"image/png","data":"AA"}},{"file_data":{"file_uri":"u"}},7]}}`
	whole := fmt.Sprintf(form, `"seen"`)
	m := parse(t, `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[`+
		`{"functionCall":{"name":"f"}}]},{"parts":[`+whole+`]}]}`).Messages()[2]
	var got []string
	for p := range m.Parts() {
		got = append(got, p.Type+" "+string(p.Raw))
	}
	want := []string{`text "seen"`,
		`inlineData {"inlineData":{"mimeType":"image/png","data":"AA"}}`,
		`inlineData {"file_data":{"file_uri":"u"}}`, " 7"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || m.OnlyText() || m.Text() != "seen" {
		t.Errorf("parts\n%s\nwant\n%s; only text: %t, text %q", strings.Join(got, "\n"),
			strings.Join(want, "\n"), m.OnlyText(), m.Text())
	}
	if got := string(m.WithContent([]byte(`"x"`))); got != fmt.Sprintf(form, `"x"`) {
		t.Errorf("with another text: %s", got)
	}
}
