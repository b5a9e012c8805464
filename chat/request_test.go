package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	tests := []struct {
		name, body string
		want       error
	}{
		{"empty", ``, ErrNotJSON},
		{"not an object", `[1]`, ErrNotJSON},
		{"torn", `{"messages":[{"role":"user"`, ErrNotJSON},
		{"trailing", `{"messages":[]} x`, ErrNotJSON},
		{"control character", "{\"messages\":[{\"role\":\"u\x01\"}]}", ErrNotJSON},
		{"no messages", `{"model":"m"}`, ErrNoMessages},
		{"messages no array", `{"messages":"hi"}`, ErrNoMessages},
		{"message no object", `{"messages":["hi"]}`, ErrNoMessages},
		{"twice", `{"messages":[],"messages":[]}`, ErrTwice},
		{"twice, one escaped", `{"messages":[],"mess\u0061ges":[]}`, ErrTwice},
		{"content twice", `{"messages":[{"role":"user","content":"a","content":"b"}]}`, ErrTwice},
		{"too deep", `{"x":` + deep + `,"messages":[]}`, ErrTooDeep},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.body)); !errors.Is(err, tt.want) {
				t.Errorf("Parse: %v, want %v", err, tt.want)
			}
		})
	}
}

// awkward contains what decoding and encoding would change: number spellings, key order, lone
// surrogates, white space, unknown and repeated members, escapes.
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
	whole := r.Splice([]Piece{{From: 0, To: 2}, {From: 2, To: 5}})
	if &whole[0] != &r.Raw()[0] {
		t.Error("the request as it came was copied")
	}
	got := string(r.Splice([]Piece{{From: 0, To: 1},
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
	if got := string(empty.Splice([]Piece{{Raw: []byte(`{}`)}})); got != `{"messages":[{}]}` {
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
		r, err := Parse(body)
		if err != nil {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("a view of what is not JSON: %q", body)
		}
		checkResumed(t, r)
		n := len(r.Messages())
		if got := r.Splice([]Piece{{To: n}}); !bytes.Equal(got, body) {
			t.Fatalf("round trip: %q became %q", body, got)
		}
		from, to = min(max(from, 0), n), min(max(to, 0), n)
		spliced := r.Splice([]Piece{{To: from}, {Raw: []byte(`{"role":"user","content":"new"}`)},
			{From: max(from, to), To: n}})
		if !json.Valid(spliced) {
			t.Fatalf("splicing %q made %q", body, spliced)
		}
		for i := range r.Messages() {
			m := &r.Messages()[i]
			_, _, _ = m.Text(), m.ToolCalls(), m.AppendCanonical(nil)
			if edited := m.WithContent([]byte(`"x"`)); !json.Valid(edited) {
				t.Fatalf("editing %q made %q", m.Raw, edited)
			}
		}
		Groups(r.Messages())
	})
}

func FuzzScannerAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{}`, `[1,-0.5e+3,"a\u00e9\n",true,false,null]`, `01`, `"\x"`,
		`{"a":}`, `[1,]`, ` 1 `, `-`, `{"a" "b"}`, "\"\x1f\"", `[[[]],{"":{}}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end, err := skip(b, space(b, 0))
		got := err == nil && space(b, end) == len(b)
		if want := json.Valid(b); got != want {
			t.Fatalf("%q: valid %t, encoding/json says %t", b, got, want)
		}
	})
}

func FuzzTextAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d\u0041"`,
		`"\\\"\/\b\f\n\r\t"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want string
		if json.Unmarshal([]byte(s), &want) != nil || !strings.HasPrefix(s, `"`) ||
			!strings.HasSuffix(s, `"`) {
			return
		}
		if got := strings.ToValidUTF8(Value(s).Text(), "\uFFFD"); got != strings.ToValidUTF8(want,
			"\uFFFD") && !strings.Contains(want, "\uFFFD") {
			t.Fatalf("%q: %q, want %q", s, got, want)
		}
		back := Value(AppendQuoted(nil, want))
		if back.Text() != want {
			t.Fatalf("%q quoted and read: %q", want, back.Text())
		}
	})
}

func TestCutEscapedNeverCutsACharacter(t *testing.T) {
	body := []byte(`ab\n\ud83d\ude00é\u00e9z`)
	for n := range len(body) + 2 {
		head, tail := CutEscaped(body, n)
		if len(head) > n || string(head)+string(tail) != string(body) {
			t.Fatalf("cut at %d: %q %q", n, head, tail)
		}
		text := Value(`"`+string(head)+`"`).Text() + Value(`"`+string(tail)+`"`).Text()
		if text != "ab\n😀éé"+"z" {
			t.Errorf("cut at %d: %q %q reads %q", n, head, tail, text)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}} {
		body := history(size.n)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// history returns a body of about n bytes in messages of up to 3.5 KB, with escapes as in code.
func history(n int) []byte {
	b := []byte(`{"model":"gpt-5.1","messages":[{"role":"system","content":"S"}`)
	line := `\tif err := run(ctx, \"task\", 42); err != nil {\n\t\treturn fmt.Errorf(\"running: ` +
		`%w\", err)\n\t}\n`
	for len(b) < n {
		b = append(b, `,{"role":"user","content":"`...)
		for i := 0; i < 35 && len(b) < n; i++ {
			b = append(b, line...)
		}
		b = append(b, `"}`...)
	}
	return append(b, `]}`...)
}
