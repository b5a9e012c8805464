package messages

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/view"
)

const (
	markShort = `{"type":"ephemeral"}`
	markLong  = `{"type":"ephemeral","ttl":"1h"}`
)

// conversation returns elements: u is the user's text, a the assistant's, digits are an assistant's
// calls with their results. A message in upper case or followed by ! is marked.
func conversation(script, mark string) string {
	var all []string
	for i, c := range script {
		on := ""
		if i+1 < len(script) && script[i+1] == '!' {
			on = `,"cache_control":` + mark
		}
		text := fmt.Sprintf(`[{"type":"text","text":"%d"%s}]`, i, on)
		switch {
		case c == 'u':
			all = append(all, `{"role":"user","content":`+text+`}`)
		case c == 'a':
			all = append(all, `{"role":"assistant","content":`+text+`}`)
		case c == 's':
			all = append(all, fmt.Sprintf(`{"role":"user","content":"%d"}`, i))
		case c >= '1' && c <= '9':
			var calls, results []string
			for n := range int(c - '0') {
				calls = append(calls, fmt.Sprintf(`{"type":"tool_use","id":"%d_%d"}`, i, n))
				results = append(results,
					fmt.Sprintf(`{"type":"tool_result","tool_use_id":"%d_%d"}`, i, n))
			}
			last := &results[len(results)-1]
			*last = (*last)[:len(*last)-1] + on + "}"
			all = append(all, `{"role":"assistant","content":[`+strings.Join(calls, ",")+`]}`,
				`{"role":"user","content":[`+strings.Join(results, ",")+`]}`)
		}
	}
	return strings.Join(all, ",")
}

func TestMarks(t *testing.T) {
	const record = `{"role":"user","content":"R"}`
	system := func(n int) string {
		blocks := strings.Repeat(`,{"type":"text","text":"s","cache_control":`+markLong+`}`, n)
		return `"system":[{"type":"text","text":"b"}` + blocks + `],`
	}
	recordWith := func(mark string) string {
		return `{"role":"user","content":[{"type":"text","text":"R","cache_control":` + mark + `}]}`
	}
	tests := []struct {
		name, members string
		tail, mark    string
		want          string // what begins the messages
		marks         int    // of all messages
	}{
		{"the record", system(2), "u1111u!", markShort, recordWith(markShort), 2},
		{"the record, for an hour", system(2), "u1111u!", markLong, recordWith(markLong), 2},
		{"none to spare", system(3), "u1111u!", markShort, record, 1},
		{"the client marks no messages", system(2), "u1111u", markShort, record, 0},
		{"an automatic mark", `"cache_control":` + markShort + `,`, "u1111u", markShort,
			recordWith(markShort), 1},
		{"an automatic mark, none to spare", `"cache_control":` + markShort + `,` + system(3),
			"u1111u", markShort, record, 0},
		{"a short tail", ``, "u1111u!", markShort, recordWith(markShort), 2},
		{"a long tail", ``, "u11111111u!", markShort, recordWith(markShort), 3},
		{"a long tail, one to spare", system(2), "u11111111u!", markShort, recordWith(markShort),
			2},
		{"a long turn", ``, "u1119!", markShort, recordWith(markShort), 3},
		{"a long turn, one to spare", system(2), "u1119!", markShort, record, 2},
		{"the client marks what is before it", system(1), "u111!9!", markShort,
			recordWith(markShort), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := parse(t, `{`+tt.members+`"messages":[{"role":"user","content":"folded"},`+
				conversation(tt.tail, tt.mark)+`]}`)
			pieces := []view.Piece{{Raw: []byte(record)}, {From: 1, To: len(r.Messages())}}
			body := checkMarked(t, r, pieces)
			got := parse(t, string(body))
			list := strings.TrimPrefix(string(got.Field("messages")), "[")
			if !strings.HasPrefix(list, tt.want) {
				t.Errorf("%.150s, want %s", list, tt.want)
			}
			if n := strings.Count(list, `"cache_control"`); n != tt.marks {
				t.Errorf("%d marks, want %d:\n%s", n, tt.marks, list)
			}
		})
	}
}

// The mark before a long turn is on the message that ended the previous request, whatever its kind.
func TestMarksBeforeLongTurns(t *testing.T) {
	tests := []struct{ name, last, want string }{
		{"a result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`,
			`[{"type":"tool_result","tool_use_id":"1","cache_control":` + markShort + `}]`},
		{"blocks beside results",
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},` +
				`{"type":"text","text":"x"} , {"type":"image"} ]}`,
			`{"type":"text","text":"x"} , {"type":"image","cache_control":` + markShort + `} ]`},
		{"a string", `{"role":"user","content":"x"}`,
			`[{"type":"text","text":"x","cache_control":` + markShort + `}]`},
		{"nothing", `{"role":"user","content":[]}`, ""},
		{"no text", `{"role":"user","content":[{"type":"text","text":""}]}`, ""},
		{"what is fixed", `{"role":"user","content":[{"type":"tool_addition"}]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := parse(t, `{"messages":[{"role":"user","content":"folded"},`+
				`{"role":"assistant","content":[{"type":"tool_use","id":"1"}]},`+tt.last+`,`+
				conversation("9!", markShort)+`]}`)
			body := checkMarked(t, r, []view.Piece{
				{
					Raw: Format.Spelling().UserMessage([]byte(`"R"`)),
				}, {From: 1, To: len(r.Messages())}})
			want := 3
			if tt.want == "" {
				want = 2
			}
			if n := bytes.Count(body, []byte(`"cache_control"`)); n != want ||
				!bytes.Contains(body, []byte(tt.want)) {
				t.Errorf("%d marks, want %d, and %s:\n%s", n, want, tt.want, body)
			}
		})
	}
}

// A mark of an hour is refused after one of five minutes, even if one message of the client has
// both.
func TestMarkBeforeTwoOfOneMessage(t *testing.T) {
	block := func(mark string) string {
		return `{"type":"text","text":"x","cache_control":` + mark + `}`
	}
	for name, marked := range map[string]string{
		"blocks": `{"role":"user","content":[` + block(markLong) + `,` + block(markShort) + `]}`,
		"a block of a result": `{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"1","content":[` + block(markLong) + `],"cache_control":` + markShort +
			`}]}`,
	} {
		r := parse(t, `{"messages":[{"role":"user","content":"folded"},{"role":"assistant",`+
			`"content":[{"type":"tool_use","id":"1"}]},`+marked+`]}`)
		body := checkMarked(t, r, []view.Piece{
			{Raw: Format.Spelling().UserMessage([]byte(`"R"`))}, {From: 1, To: len(r.Messages())}})
		long, short := bytes.LastIndex(body, []byte(markLong)), bytes.Index(body, []byte(markShort))
		if n := bytes.Count(body, []byte(`"cache_control"`)); n != 3 || short < long {
			t.Errorf("%s: %d marks, want 3 in order: %s", name, n, body)
		}
	}
}

func TestMarksOfAnUnchangedRequest(t *testing.T) {
	r := parse(t, `{"messages":[`+conversation("u1119!", markShort)+`]}`)
	pieces := []view.Piece{{To: len(r.Messages())}}
	if got := checkMarked(t, r, pieces); &got[0] != &r.Raw()[0] {
		t.Error("the request as it came was copied")
	}
}

// checkMarked returns the new body with marks, and checks that it has no other changes.
func checkMarked(t testing.TB, r *view.Request, pieces []view.Piece) []byte {
	t.Helper()
	with := Format.Mark(r, pieces)
	body := r.Splice(with)
	a, errA := Parse(r.Splice(pieces))
	b, errB := Parse(body)
	if errA != nil || errB != nil {
		t.Fatalf("%v, %v: %q", errA, errB, body)
	}
	if len(a.Messages()) != len(b.Messages()) {
		t.Fatalf("%q has other messages with marks: %q", a.Raw(), body)
	}
	for i := range a.Messages() {
		one, other := a.Messages()[i].AppendCanonical(nil), b.Messages()[i].AppendCanonical(nil)
		if !bytes.Equal(one, other) {
			t.Fatalf("message %d of %q is another with marks: %q", i, a.Raw(), body)
		}
	}
	return body
}
