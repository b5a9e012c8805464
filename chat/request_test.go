package chat

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/rawjson"
	"killick/view"
)

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	tests := []struct {
		name, body string
		want       error
	}{
		{"empty", ``, view.ErrNotJSON},
		{"not an object", `[1]`, view.ErrNotJSON},
		{"torn", `{"messages":[{"role":"user"`, view.ErrNotJSON},
		{"trailing", `{"messages":[]} x`, view.ErrNotJSON},
		{"control character", "{\"messages\":[{\"role\":\"u\x01\"}]}", view.ErrNotJSON},
		{"no messages", `{"model":"m"}`, view.ErrNoMessages},
		{"messages no array", `{"messages":"hi"}`, view.ErrNoMessages},
		{"message no object", `{"messages":["hi"]}`, view.ErrNoMessages},
		{"twice", `{"messages":[],"messages":[]}`, view.ErrDuplicate},
		{"twice, one escaped", `{"messages":[],"mess\u0061ges":[]}`, view.ErrDuplicate},
		{
			"content twice",
			`{"messages":[{"role":"user","content":"a","content":"b"}]}`,
			view.ErrDuplicate,
		},
		{
			"text of a part twice",
			`{"messages":[{"content":[{"type":"text","text":"a","te\u0078t":"b"}]}]}`,
			view.ErrDuplicate,
		},
		{
			"type of a part twice",
			`{"messages":[{"content":["a",{"type":"text","text":"a","type":"image_url"}]}]}`,
			view.ErrDuplicate,
		},
		{
			"arguments of a call twice",
			`{"messages":[{"tool_calls":[{"function":{"arguments":"a","arguments":"b"}}]}]}`,
			view.ErrDuplicate,
		},
		{
			"name of a function twice",
			`{"messages":[{"function_call":{"name":"a","name":"b"}}]}`,
			view.ErrDuplicate,
		},
		{"a torn part", `{"messages":[{"content":[{"text":"a"`, view.ErrNotJSON},
		{"too deep", `{"x":` + deep + `,"messages":[]}`, rawjson.ErrTooDeep},
		{"as many as may be", `{"messages":[{}` + strings.Repeat(",{}", view.MaxMessages-1) + `]}`,
			nil},
		{"too many", `{"messages":[{}` + strings.Repeat(",{}", view.MaxMessages) + `]}`,
			view.ErrTooMany},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.body)); !errors.Is(err, tt.want) {
				t.Errorf("Parse: %v, want %v", err, tt.want)
			}
		})
	}
}

// awkward contains everything that decoding and encoding would change: number spellings, key order,
// lone surrogates, white space, unknown and repeated members, escapes.
const awkward = ` {"temperature": 2.50, "zeta":1e3 ,"model" : "gpt\u002d4o",
 "messages" : [ {"role":"system","content":"S"} ,
	{"content":[{"type":"text","text":"a\ud83d"},
		{"type":"image_url","image_url":{"url":"data:x"}}],"role":"user"},
  {"role":"assistant","content":null,"tool_calls":[
    {"id":"1","type":"function","function":{"name":"f","arguments":"{\"p\":1}"}},
    {"id":"2","type":"custom","custom":{"name":"g","input":"raw"}}]},
  {"role":"tool","tool_call_id":"2","content":""},
  {"role":"tool","tool_call_id":"1","content":"ok \ud83d\ude00"}
 ] ,"x":{"x":1,"x":2}, "stream":true }` + "\n"

func TestViewOfUnusualBody(t *testing.T) {
	r, err := Parse([]byte(awkward))
	if err != nil {
		t.Fatal(err)
	}
	if r.Model() != "gpt-4o" || !r.Stream() || string(r.Field("temperature")) != "2.50" {
		t.Errorf("model %q, stream %t, temperature %s", r.Model(), r.Stream(),
			r.Field("temperature"))
	}
	if got := r.Field("messages"); got[0] != '[' || got[len(got)-1] != ']' {
		t.Errorf("Field(messages) = %s", got)
	}
	ms := r.Messages()
	if len(ms) != 5 {
		t.Fatalf("%d messages, want 5", len(ms))
	}
	if got := ms[1].Text(); got != "a\uFFFD" {
		t.Errorf("text %q", got)
	}
	if ms[1].OnlyText() || !ms[0].OnlyText() {
		t.Error("OnlyText is wrong")
	}
	calls := ms[2].ToolCalls()
	if len(calls) != 2 || calls[0].Name != "f" || calls[0].Arguments.Text() != `{"p":1}` ||
		calls[1].Name != "g" || calls[1].Arguments.Text() != "raw" || !ms[2].HasCalls() {
		t.Errorf("calls %+v", calls)
	}
	if ms[4].ToolCallID() != "1" || ms[4].Text() != "ok 😀" {
		t.Errorf("last message: %q %q", ms[4].ToolCallID(), ms[4].Text())
	}
	if got := string(ms[3].WithContent([]byte(`"new"`))); got !=
		`{"role":"tool","tool_call_id":"2","content":"new"}` {
		t.Errorf("WithContent: %s", got)
	}
	if got := string(ms[0].WithContent(ms[0].Content())); got != string(ms[0].Raw) {
		t.Errorf("WithContent of the same: %s", got)
	}
}

func TestSpliceKeepsEveryOtherByte(t *testing.T) {
	r, err := Parse([]byte(awkward))
	if err != nil {
		t.Fatal(err)
	}
	whole := r.Splice([]view.Piece{{From: 0, To: 2}, {From: 2, To: 5}})
	if &whole[0] != &r.Raw()[0] {
		t.Error("the request as received was copied")
	}
	got := string(r.Splice([]view.Piece{{From: 0, To: 1},
		{Raw: []byte(`{"role":"user","content":"new"}`)}, {From: 2, To: 5}}))
	cut := string(r.Messages()[1].Raw)
	before, after, _ := strings.Cut(awkward, cut)
	before = strings.TrimRight(before, ", \n\t") + ","
	after = "," + strings.TrimLeft(after, ", \n\t")
	if want := before + `{"role":"user","content":"new"}` + after; got != want {
		t.Errorf("spliced:\n%s\nwant:\n%s", got, want)
	}
	empty, err := Parse([]byte(`{"messages":[ ]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(empty.Splice([]view.Piece{{Raw: []byte(`{}`)}})); got != `{"messages":[{}]}` {
		t.Errorf("into an empty array: %s", got)
	}
	if got := string(r.Splice(nil)); !json.Valid([]byte(got)) {
		t.Errorf("nothing kept: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(awkward), 1, 3)
	f.Add([]byte(`{"messages":[{"role":"user","content":"x"}]}`), 0, 0)
	f.Add([]byte(`{"a":[1,2,{"b":[]}],"messages":[]}`), 0, 1)
	f.Add([]byte(`{"messages":[{"role":"tool","content":"\u00`), 0, 1)
	f.Fuzz(func(t *testing.T, body []byte, from, to int) {
		viewtest.Check(t, Format, body, from, to)
	})
}

func BenchmarkParse(b *testing.B) { viewtest.BenchmarkParse(b, viewtest.History, Parse) }

// The newer name of a limit wins over the older one, and so does the choice of a tool.
func TestOlderNamesOfMembers(t *testing.T) {
	for members, want := range map[string]struct {
		output int
		choice string
	}{
		`"max_tokens":7`: {7, ""},
		`"max_tokens":7,"max_completion_tokens":9`:           {9, ""},
		`"max_tokens":7,"max_completion_tokens":null`:        {7, ""},
		`"function_call":"none"`:                             {0, `"none"`},
		`"function_call":"none","tool_choice":"required"`:    {0, `"required"`},
		`"max_completion_tokens":"9","function_call":"auto"`: {0, `"auto"`},
	} {
		r, err := Parse([]byte(`{"messages":[],` + members + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if n, choice := r.Limits().Output, r.Preamble().Choice; n != want.output ||
			string(choice) != want.choice {
			t.Errorf("%s: at most %d tokens, choice %s", members, n, choice)
		}
	}
}
