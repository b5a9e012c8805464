package expand

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"killick/proxy/format"
	"killick/rawjson"
)

// A long text comes in parts, and every byte of it can be asked for.
func TestLongTextsComeInParts(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		text.WriteString(strings.Repeat("é", i%40) + "\n")
	}
	whole := text.String() + "the end"
	lookup := func(context.Context, string) ([]byte, error) { return []byte(whole), nil }
	var got strings.Builder
	arguments := `{"ref":"ref=` + ref + `"}`
	for range 20 {
		part, outcome := Answer(t.Context(), lookup, rawjson.Value(arguments))
		head, rest, _ := strings.Cut(part, "\n")
		if outcome != Answered || len(rest) > maxResult {
			t.Fatalf("%s: %d bytes of %q", outcome, len(rest), head)
		}
		got.WriteString(rest)
		_, next, more := strings.Cut(head, "from_line ")
		if !more {
			break
		}
		next, _, _ = strings.Cut(next, " ")
		arguments = `{"ref":"` + ref + `","from_line":` + next + `}`
	}
	if got.String() != whole {
		t.Errorf("the parts have %d bytes, want %d", got.Len(), len(whole))
	}
	whole = strings.Repeat("é", maxResult)
	part, _ := Answer(t.Context(), lookup, rawjson.Value(`{"ref":"`+ref+`"}`))
	head, rest, _ := strings.Cut(part, "\n")
	if head != "[Line 1 of 1, its first 32768 of 65536 bytes.]" || rest != whole[:maxResult] {
		t.Errorf("one long line: %q with %d bytes", head, len(rest))
	}
	lookup = func(context.Context, string) ([]byte, error) { return nil, errors.New("secret") }
	if text, outcome := Answer(t.Context(), lookup, rawjson.Value(`{"ref":"`+ref+`"}`)); outcome !=
		StoreFailed || strings.Contains(text, "secret") {
		t.Errorf("a store that fails: %s, %q", outcome, text)
	}
}

// The tool follows those of the client, wherever they are.
func TestPlaceOfTheTool(t *testing.T) {
	const codex = `{"input":[ {"type":"additional_tools","role":"developer","tools":[{"type":` +
		`"function","name":"exec"} ]},{"role":"user","content":"hi"}],"store":false}`
	for _, test := range []struct {
		format     format.Format
		body, from string // where the tool is put before; "" for nowhere
	}{
		{format.Responses, codex, `]},{"role"`},
		{format.Responses, strings.Replace(codex, "exec", Name, 1), ""},
		{format.Responses, strings.Replace(codex, "exec", `killick\u005fexpand`, 1), ""},
		{format.Responses, strings.Replace(codex, "exec", `\u0065xec`, 1), `]},{"role"`},
		{format.Responses, strings.Replace(codex, "false", "true", 1), ""},
		{format.Responses, strings.Replace(codex, "additional_tools", "message", 1), ""},
		{format.Responses, `{"input":[],"store":false}`, ""},
		{format.Responses, `{"input":"text","store":false}`, ""},
		{format.Responses, `{"input":[],"store":false,"tools":[{"a":1}]}`, `]}`},
		{format.Responses, `{"input":[],"tools":[{"a":1}]}`, ""},
		{format.Responses, `{"input":[],"store":false,"background":true,"tools":[{}]}`, ""},
		{format.Messages, `{"tools":[{"a":1}],"messages":[]}`, `],"messages"`},
		{format.Chat, `{"tools":[{"a":[]}],"n":1,"messages":[]}`, `],"n"`},
	} {
		at, ok := Place(test.format, []byte(test.body))
		if ok != (test.from != "") || ok && !strings.HasPrefix(test.body[at:], test.from) {
			t.Errorf("%s: %t at %d", test.body, ok, at)
		} else if ok && !json.Valid(Offer(test.format, []byte(test.body), at)) {
			t.Errorf("%s became %s", test.body, Offer(test.format, []byte(test.body), at))
		}
	}
}

// While reasoning is held the client gets an event that says nothing, once a minute.
func TestHeldReasoningKeepsAlive(t *testing.T) {
	const item = `{"type":"reasoning","id":"rs_1","summary":[]}`
	delta := `{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"a",` +
		`"sequence_number":2}`
	stream := events(`{"type":"response.output_item.added","output_index":0,"item":`+item+
		`,"sequence_number":1}`, delta, delta, delta, delta,
		`{"type":"response.completed","response":{"id":"r"}}`)
	got := play(t, format.Responses, `{"input":[]}`, false, reply{body: stream})
	alive := events(`{"type":"keepalive","sequence_number":1}`,
		`{"type":"keepalive","sequence_number":2}`)
	if !strings.HasPrefix(got.client, alive) || strings.Count(got.client, "keepalive") != 4 ||
		!strings.Contains(got.client, `"sequence_number":7}`) {
		t.Errorf("the client got %s", got.client)
	}
}

// All that is split is given again, in events that are those of the standard.
func FuzzSplitter(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "data: a\r\n\r\ndata:b\r\rx\n\n:\n\n", "\r\n\r",
		"event: e\ndata\ndata: x\n\ndata: cut"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		size = max(1, size%64)
		read := func(size int) (raw, data string) {
			var s splitter
			each := func(e *event) {
				raw += string(e.raw)
				if e.data != nil {
					data += string(e.data) + "\x00"
				}
			}
			for rest := stream; len(rest) > 0; rest = rest[min(size, len(rest)):] {
				s.feed(rest[:min(size, len(rest))], each)
			}
			s.end(each)
			return raw, data
		}
		raw, data := read(size)
		_, whole := read(len(stream) + 1)
		if raw != string(stream) || data != whole {
			t.Errorf("%q in pieces of %d became %q with the data %q, want %q", stream, size, raw,
				data, whole)
		}
	})
}
