package chat

import (
	"slices"
	"testing"

	"killick/view"
)

func parseAll(t *testing.T, raws ...string) []view.Message {
	t.Helper()
	var ms []view.Message
	for _, raw := range raws {
		m, err := ParseMessage([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		ms = append(ms, m)
	}
	return ms
}

func TestCanonicalIgnoresChangesBetweenTurns(t *testing.T) {
	tests := []struct {
		name string
		same bool
		a, b string
	}{
		{"string and one text part", true, `{"role":"user","content":"hi"}`,
			`{"content":[{"type":"text","text":"hi"}],"role":"user"}`},
		{"absent, null, empty", true, `{"role":"assistant"}`,
			`{"role":"assistant","content":null,"refusal":null,"annotations":[],"tool_calls":[]}`},
		{"empty string", true, `{"role":"assistant","content":""}`,
			`{"role":"assistant","content":null}`},
		{"cache_control on the message", true,
			`{"role":"user","content":"hi","cache_control":{"type":"ephemeral"}}`,
			`{"role":"user","content":"hi"}`},
		{"cache_control on a part", true,
			`{"role":"user","content":[{"type":"text","text":"hi","cache_control":{}}]}`,
			`{"role":"user","content":"hi"}`},
		{
			"cache_control in a tool call", true,
			`{"role":"assistant","tool_calls":[{"id":"1","type":"function",` +
				`"function":{"name":"f","arguments":"{}"},"cache_control":{"type":"ephemeral"}}]}`,
			`{"role":"assistant","tool_calls":[{"id":"1", "type":"function", ` +
				`"function":{"name":"f","arguments":"{}"}}]}`,
		},
		{"reasoning", true,
			`{"role":"assistant","content":"a","reasoning_content":"hm","reasoning":"hm"}`,
			`{"role":"assistant","content":"a"}`},
		{"escapes", true, `{"role":"user","content":"\u0041\/"}`, `{"role":"user","content":"A/"}`},
		{"lone surrogates", false, `{"role":"user","content":"\ud83d"}`,
			`{"role":"user","content":"\ud83e"}`},
		{"a lone surrogate and U+FFFD", false, `{"role":"user","content":"\ud83d"}`,
			`{"role":"user","content":"\ufffd"}`},
		{"role", false, `{"role":"user","content":"a"}`, `{"role":"assistant","content":"a"}`},
		{"name", false, `{"role":"user","content":"a","name":"x"}`,
			`{"role":"user","content":"a"}`},
		{"split text", false,
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
			`{"role":"user","content":"ab"}`},
		{"forged lengths", false,
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
			`{"role":"user","content":"at\u0001\u0000\u0000\u0000b"}`},
		{"call ids", false, `{"role":"tool","tool_call_id":"1","content":"a"}`,
			`{"role":"tool","tool_call_id":"2","content":"a"}`},
		{"arguments", false,
			`{"role":"assistant","tool_calls":[{"id":"1","function":{"arguments":"{}"}}]}`,
			`{"role":"assistant","tool_calls":[{"id":"1","function":{"arguments":"{ }"}}]}`},
		{"images", false,
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"a"}}]}`,
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"b"}}]}`},
		{"refusals", false, `{"role":"assistant","refusal":"no"}`, `{"role":"assistant"}`},
		{"a refusal and a text", false,
			`{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
			`{"role":"assistant","content":[{"type":"text","text":"no"}]}`},
		{"texts without a text", false, `{"role":"user","content":[{"type":"text","x":1}]}`,
			`{"role":"user","content":[{"type":"text","x":2}]}`},
		{"audio", false, `{"role":"assistant","audio":{"id":"a"}}`,
			`{"role":"assistant","audio":{"id":"b"}}`},
		{"no audio", true, `{"role":"assistant","audio":null}`, `{"role":"assistant"}`},
		{"legacy calls", false,
			`{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`,
			`{"role":"assistant","function_call":{"name":"g","arguments":"{}"}}`},
		{"no legacy call", true, `{"role":"assistant","function_call":null}`,
			`{"role":"assistant"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ms := parseAll(t, tt.a, tt.b)
			if got := slices.Equal(ms[0].AppendCanonical(nil), ms[1].AppendCanonical(nil)); got !=
				tt.same {
				t.Errorf("the same: %t, want %t\n%q\n%q", got, tt.same, ms[0].AppendCanonical(nil),
					ms[1].AppendCanonical(nil))
			}
		})
	}
}

func g(start, end int, open bool) view.Group {
	return view.Group{Start: start, End: end, Open: open}
}

func TestGroupsKeepCallsAndResultsTogether(t *testing.T) {
	const (
		user   = `{"role":"user","content":"u"}`
		plain  = `{"role":"assistant","content":"a"}`
		callA  = `{"role":"assistant","tool_calls":[{"id":"a"}]}`
		callAB = `{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]}`
		callB  = `{"role":"assistant","tool_calls":[{"id":"b"}]}`
		resA   = `{"role":"tool","tool_call_id":"a"}`
		resB   = `{"role":"tool","tool_call_id":"b"}`
		callF  = `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`
		resF   = `{"role":"function","name":"f","content":"r"}`
	)
	tests := []struct {
		name string
		in   []string
		want []view.Group
	}{
		{"none", nil, []view.Group{}},
		{"plain", []string{user, plain}, []view.Group{g(0, 1, false), g(1, 2, false)}},
		{"parallel", []string{user, callAB, resB, resA, user},
			[]view.Group{g(0, 1, false), g(1, 4, false), g(4, 5, false)}},
		{"open", []string{callAB, resA}, []view.Group{g(0, 2, true)}},
		{"unanswered", []string{callA, user}, []view.Group{g(0, 1, true), g(1, 2, false)}},
		{"orphan", []string{user, resA}, []view.Group{g(0, 1, false), g(1, 2, false)}},
		{"a user in between", []string{callA, user, resA}, []view.Group{g(0, 3, false)}},
		{"two calls, then their results", []string{callA, callB, resA, resB},
			[]view.Group{{Start: 0, End: 4, Late: true}}},
		{"crossing, the later one answered first", []string{callA, callB, resB, resA},
			[]view.Group{{Start: 0, End: 4, Late: true}}},
		{"answered after a turn", []string{callA, user, callB, resB, plain, resA, resA},
			[]view.Group{{Start: 0, End: 7, Late: true}}},
		{"ids used again", []string{callA, resA, callA, resA, plain},
			[]view.Group{g(0, 2, false), g(2, 4, false), g(4, 5, false)}},
		{"ids used again, the last open", []string{callA, resA, callA},
			[]view.Group{g(0, 2, false), g(2, 3, true)}},
		{"legacy", []string{callF, resF, callF}, []view.Group{g(0, 2, false), g(2, 3, true)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := view.Groups(parseAll(t, tt.in...)); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestUsageAndErrors(t *testing.T) {
	u, ok := ParseUsage([]byte(`{"id":"x","usage":{"prompt_tokens":10,"completion_tokens":2,` +
		`"prompt_tokens_details":{"cached_tokens":8}}}`))
	if !ok || u != (Usage{PromptTokens: 10, CompletionTokens: 2, CachedTokens: 8}) {
		t.Errorf("usage %+v %t", u, ok)
	}
	for _, none := range []string{``, `[`, `{"usage":null}`, `{"usage":{"prompt_tokens":1e9}}`,
		`{"usage":{"prompt_tokens":100000001}}`, `{"usage":{"prompt_tokens":-1}}`,
		`{"usage":{"prompt_tokens":"7"}}`, `[DONE]`} {
		if u, ok := ParseUsage([]byte(none)); ok {
			t.Errorf("%s: usage %+v", none, u)
		}
	}
	u, ok = ParseUsage([]byte(` {"usage":{"prompt_tokens":100000000,` +
		`"completion_tokens":100000001,"prompt_tokens_details":{"cache_write_tokens":7}}}`))
	if !ok || u != (Usage{PromptTokens: maxTokens, WrittenTokens: 7}) {
		t.Errorf("usage %+v %t", u, ok)
	}
	for code, want := range map[string]string{"": "null", "c": `"c"`} {
		if got := string(ErrorBody("a \"b\"", "t", code)); got !=
			`{"error":{"message":"a \"b\"","type":"t","param":null,"code":`+want+`}}` {
			t.Error(got)
		}
	}
}

func TestWithTextKeepsOtherMembers(t *testing.T) {
	ms := parseAll(t,
		`{"role":"tool","content":[{"cache_control":{"type":"ephemeral"},"te\u0078t" : `+
			`"old","type":"text"},"bare",{"type":"image_url"}]}`)
	var got []string
	for part := range ms[0].Parts() {
		got = append(got, string(part.WithText([]byte(`"new"`))))
	}
	want := []string{`{"cache_control":{"type":"ephemeral"},"te\u0078t" : "new","type":"text"}`,
		`"new"`, `{"type":"image_url"}`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Templates of local servers have roles of their own. Such a message is kept, with its neighbours.
func TestUnknownRolesAreMarked(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"role":"critic","content":"a"}`:                true,
		`{"content":"a"}`:                                true,
		`{"role":1,"content":"a"}`:                       true,
		`{"role":"us\u0065r","content":"a"}`:             false,
		`{"role":"developer","content":"a"}`:             false,
		`{"role":"function","name":"f","content":"a"}`:   false,
		`{"role":"tool","tool_call_id":"1","content":1}`: false,
	} {
		m, err := ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if m.Is(view.Unknown) != want {
			t.Errorf("%s: unknown: %v, want %v", raw, m.Is(view.Unknown), want)
		}
	}
}

// A message is all that there is, what a model refused is its text, and an empty text is none.
func TestMessagesAndTheirTexts(t *testing.T) {
	for raw, want := range map[string][]string{
		`{"content":"a"}`:  {"a"},
		`{"content":""}`:   nil,
		`{"content":null}`: nil,
		`{"content":["a",{"type":"text","text":"b"}]}`:    {"a", "b"},
		`{"content":[{"type":"refusal","refusal":"no"}]}`: {"no"},
		`{"content":[{"type":"refusal","text":"no"}]}`:    {"none"},
		`{"content":[{"type":"image","text":"no"}]}`:      {"none"},
	} {
		var got []string
		for part := range parseAll(t, raw)[0].Parts() {
			text := "none"
			if part.Text != nil {
				text = part.Text.Text()
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	for _, raw := range []string{`{"role":"user"} `, `{"role":"user"}{}`, `{"role":"user"`, `[`,
		``} {
		if _, err := ParseMessage([]byte(raw)); err == nil {
			t.Errorf("%s is a message", raw)
		}
	}
}
