package endpoint

import (
	"bytes"
	"encoding/json"
	"testing"

	"killick/chat"
	"killick/messages"
	"killick/responses"
	"killick/view"
)

// For any client's body that can be parsed, ours is valid JSON, begins with the client's messages,
// byte for byte, and ends with our own.
func FuzzAppended(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`,
		`{"messages":[],"input":[]}`,
		`{"thinking":{"type":"enabled","budget_tokens":-1},"max_tokens":1e9,"tools":[],` +
			`"tool_choice":{"type":"tool"},"output_config":{"format":{}},"messages":[` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"1"}]},{"role":"user",` +
			`"content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"y"}]}]}`,
		`{"text":{"format":{"type":"json_schema"}},"tools":[],"tool_choice":"required","input":[` +
			`{"type":"reasoning","id":"r"},{"type":"function_call","call_id":"1"},` +
			`{"type":"function_call_output","call_id":"1","output":"o"}]}`,
		`{"tools":[],"tool_choice":{"type":"allowed_tools"},"response_format":{"type":` +
			`"json_schema"},"messages":[{"role":"system","content":null}]}`,
	} {
		for _, forbid := range []bool{false, true} {
			f.Add([]byte(body), forbid, forbid)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, forbid, strict bool) {
		for _, format := range []view.Format{chat.Format, messages.Format, responses.Format} {
			prefix, err := view.Parse(format, body)
			if err != nil {
				continue
			}
			r := Request{
				Prefix: prefix, Messages: []Message{User("Hello?")}, ForbidTools: forbid,
				Schema: Schema{Name: "s", JSON: []byte(`{}`)}, MaxOutput: 8192,
			}
			as := dialect{strict: strict}
			if strict {
				as.bound, as.shape = noBound, noShape
			}
			w := r.write(as)
			if !json.Valid(w.body) {
				t.Fatalf("%s: no JSON: %q", format.Name(), w.body)
			}
			got, err := view.Parse(format, w.body)
			if err != nil {
				t.Fatalf("%s: %v: %q", format.Name(), err, w.body)
			}
			was, is := prefix.Messages(), got.Messages()
			if len(is) <= len(was) || is[len(is)-1].Text() != "Hello?" {
				t.Fatalf("%s: our message is not the last: %q", format.Name(), w.body)
			}
			for i := range was {
				// A message after the model's turn may become a part of that turn.
				if !bytes.HasPrefix(is[i].Raw, was[i].Raw) {
					t.Fatalf("%s: message %d was %q, is %q", format.Name(), i, was[i].Raw,
						is[i].Raw)
				}
			}
		}
	})
}

// Whatever an endpoint answers, reading it does not panic and does not take an error for an answer.
func FuzzReplies(f *testing.F) {
	for _, reply := range []string{
		completion, `{"choices":[]}`, `{"content":[{"type":"text","text":"a"}]}`, `{"content":{}}`,
		`{"status":"failed","error":null}`, `{"output":[{"type":"message","content":[{}]}]}`,
		`[]`, `"x"`, `{"error":{"message":"x"}}`,
	} {
		f.Add([]byte(reply))
	}
	f.Fuzz(func(t *testing.T, reply []byte) {
		if !json.Valid(reply) || len(reply) == 0 || reply[0] != '{' {
			return
		}
		for name, p := range protocols {
			got, err := p.read(reply)
			if err != nil && got != (Reply{}) {
				t.Errorf("%s: %+v beside %v", name, got, err)
			}
			_ = rejectionOf(400, reply)
		}
	})
}
