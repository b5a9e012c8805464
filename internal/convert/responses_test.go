package convert

import (
	"encoding/json"
	"testing"

	"killick/internal/recorded"
	"killick/responses"
	"killick/view"
)

func TestResponses(t *testing.T) {
	const chat = `{"model":"gpt-5", "max_tokens":7,"stream_options":{},"tools":[` +
		`{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"f"}},` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{}}},` +
		`"messages":[{"role":"system","content":"S"},{"role":"user","content":[` +
		`{"type":"text","text":"\u0041"},` +
		`{"type":"image_url","image_url":{"url":"data:x"}}]},` +
		`{"role":"assistant","content":"look","tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},` +
		`{"id":"2","type":"custom","custom":{"name":"g","input":"raw"}}]},` +
		`{"role":"tool","tool_call_id":"1","name":"f","content":"ok"},` +
		`{"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"t"}]},` +
		`{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":null},{"role":"assistant","content":""}]}`
	const want = `{"store":false,"model":"gpt-5","max_output_tokens":7,` +
		`"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],` +
		`"tool_choice":{"type":"function","name":"f"},` +
		`"text":{"format":{"type":"json_schema","name":"n","schema":{}}},"input":[` +
		`{"type":"message","role":"system","content":"S"}, ` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"\u0041"}, ` +
		`{"type":"input_image","image_url":"data:x","detail":"auto"}]}, ` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"look",` +
		`"annotations":[]}]}, ` +
		`{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}, ` +
		`{"type":"custom_tool_call","call_id":"2","name":"g","input":"raw"}, ` +
		`{"type":"function_call_output","call_id":"1","output":"ok","name":"f"}, ` +
		`{"type":"custom_tool_call_output","call_id":"2",` +
		`"output":[{"type":"input_text","text":"t"}]}, ` +
		`{"type":"function_call","call_id":"1_2","name":"f","arguments":"{}"}, ` +
		`{"type":"function_call_output","call_id":"1_2","output":""}, ` +
		`{"type":"message","role":"assistant","content":""}]}`
	if got := string(Responses([]byte(chat))); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A converted conversation has the messages of the original, with their texts, calls and results.
func TestRecordedConversationsKeepTheirMessages(t *testing.T) {
	for _, c := range recorded.Conversations(t) {
		raw := Responses(c.Body(`"model":"gpt-5"`, len(c.Messages)))
		if !json.Valid(raw) {
			t.Fatalf("%s: not JSON", c.ID)
		}
		r, err := view.Parse(responses.Format, raw)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		var want []string
		last := ""
		for _, m := range c.Parse(t) {
			role, text := string(m.Role()), m.Text()
			if n := len(want); role == "assistant" && last == role {
				want[n-1] += joined(want[n-1], text) // one turn
				continue
			}
			want, last = append(want, text), role
		}
		messages := r.Messages()
		if len(messages) != len(want) {
			t.Fatalf("%s: %d messages, want %d", c.ID, len(messages), len(want))
		}
		for i := range messages {
			if got := messages[i].Text(); got != want[i] {
				t.Fatalf("%s, message %d: %.80q, want %.80q", c.ID, i, got, want[i])
			}
		}
	}
}

func joined(before, text string) string {
	if before != "" && text != "" {
		return "\n" + text
	}
	return text
}
