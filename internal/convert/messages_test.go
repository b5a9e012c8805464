package convert

import (
	"encoding/json"
	"errors"
	"testing"

	"killick/internal/recorded"
	"killick/messages"
	"killick/view"
)

func TestMessages(t *testing.T) {
	const chat = `{"model":"claude-opus-5","max_tokens":7,"stream_options":{},"stop":"X",` +
		`"tools":[` +
		`{"type":"function","function":{"name":"f","description":"d",` +
		`"parameters":{"type":"object"}}},` +
		`{"type":"function","function":{"name":"g"}}],"messages":[` +
		`{"role":"system","content":"S"},{"role":"developer","content":"D"},` +
		`{"role":"user","content":"\u0041"},{"role":"user","content":[{"type":"text","text":"b"},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},` +
		`{"role":"assistant","content":"look","tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"f","arguments":"{\"p\": 1}"}},` +
		`{"id":"c:2","type":"function","function":{"name":"g","arguments":"no object"}}]},` +
		`{"role":"tool","tool_call_id":"c:2","content":[{"type":"text","text":"two"}]},` +
		`{"role":"tool","tool_call_id":"1","content":""},` +
		`{"role":"user","content":"go on"},{"role":"user","content":" "},` +
		`{"role":"system","content":"be brief"},{"role":"user","content":"now"},` +
		`{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":null},` +
		`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},` +
		`{"role":"function","name":"f","content":"r"},{"role":"assistant","content":"done"}]}`
	const want = `{"model":"claude-opus-5","stop_sequences":["X"],"tools":[` +
		`{"name":"f","description":"d","input_schema":{"type":"object"}}, ` +
		`{"name":"g","input_schema":{"type":"object"}}],` +
		`"system":[{"type":"text","text":"S"}, {"type":"text","text":"D"}],"messages":[` +
		`{"role":"user","content":"\u0041"}, ` +
		`{"role":"user","content":[{"type":"text","text":"b"}, ` +
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}, ` +
		`{"role":"assistant","content":[{"type":"text","text":"look"}, ` +
		`{"type":"tool_use","id":"1","name":"f","input":{"p": 1}}, ` +
		`{"type":"tool_use","id":"c_2","name":"g","input":{"arguments":"no object"}}]}, ` +
		`{"role":"user","content":[` +
		`{"type":"tool_result","tool_use_id":"c_2","content":[{"type":"text","text":"two"}]}, ` +
		`{"type":"tool_result","tool_use_id":"1","content":""}, ` +
		`{"type":"text","text":"go on"}]}, ` +
		`{"role":"user","content":[{"type":"text","text":"(empty)"}]}, ` +
		`{"role":"system","content":"be brief"}, {"role":"user","content":"now"}, ` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1_2","name":"f","input":{}}]}, ` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1_2","content":[]}]}, ` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"f","name":"f","input":{}}]}, ` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"f","content":"r"}]}, ` +
		`{"role":"assistant","content":"done"}],"max_tokens":7}`
	got, err := Messages([]byte(chat))
	if err != nil || string(got) != want {
		t.Errorf("%s (%v)\nwant\n%s", got, err, want)
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	const call = `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f"}}]}`
	for list, want := range map[string]error{
		`{"role":"assistant","content":"hi"}`:                                      ErrFirst,
		`{"role":"user","content":"hi"},` + call:                                   ErrUnanswered,
		`{"role":"user","content":"a"},` + call + `,{"role":"user","content":"b"}`: ErrUnanswered,
		`{"role":"user","content":"a"},{"role":"tool","tool_call_id":"1"}`:         ErrOrphan,
	} {
		if _, err := Messages([]byte(`{"messages":[` + list + `]}`)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", list, err, want)
		}
	}
}

// A converted conversation has the messages of the original after the leading instructions, with
// their roles, texts, calls and results.
func TestRecordedConversationsAreTheSameInMessages(t *testing.T) {
	converted := 0
	for _, c := range recorded.Conversations(t) {
		raw, err := Messages(c.Body(`"model":"claude-opus-5"`, len(c.Messages)))
		if errors.Is(err, ErrUnanswered) || errors.Is(err, ErrOrphan) || errors.Is(err, ErrFirst) {
			continue
		}
		if err != nil || !json.Valid(raw) {
			t.Fatalf("%s: %v", c.ID, err)
		}
		r, err := view.Parse(messages.Format, raw)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		want := c.Parse(t)
		for len(want) > 0 && want[0].Role().Instructs() {
			want = want[1:]
		}
		if len(r.Messages()) != len(want) {
			t.Fatalf("%s: %d messages, want %d", c.ID, len(r.Messages()), len(want))
		}
		converted++
		for i := range want {
			compareMessage(t, c.ID, i, &r.Messages()[i], &want[i])
		}
	}
	if converted < 50 {
		t.Errorf("%d conversations were converted", converted)
	}
}

func compareMessage(t *testing.T, id string, i int, got, want *view.Message) {
	t.Helper()
	text := want.Text()
	if len(textBlock([]byte(quote(t, text)))) == 0 {
		text = got.Text() // empty
	}
	if got.Role().Result() != want.Role().Result() || got.Text() != text ||
		len(got.ToolCalls()) != len(want.ToolCalls()) {
		t.Fatalf("%s, message %d: %.300s, want %.300s", id, i, got.Raw, want.Raw)
	}
	for n, call := range want.ToolCalls() {
		if other := got.ToolCalls()[n]; other.Name != call.Name {
			t.Fatalf("%s, message %d: %.300s, want %.300s", id, i, got.Raw, want.Raw)
		}
	}
}

func quote(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
