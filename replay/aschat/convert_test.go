package aschat_test

import (
	"bytes"
	"testing"

	"killick/chat"
	"killick/converse"
	"killick/gemini"
	"killick/internal/convert"
	"killick/internal/recorded"
	"killick/messages"
	"killick/rawjson"
	"killick/replay/aschat"
	"killick/responses"
	"killick/view"
)

// session is a chat conversation with everything that the other formats write differently.
const session = `{"model":"m","tools":[{"type":"function","function":{"name":"read",` +
	`"description":"reads","parameters":{"type":"object"}}}],"messages":[` +
	`{"role":"system","content":"You are an agent."},` +
	`{"role":"user","content":"read \"a\" and\nb"},` +
	`{"role":"assistant","content":"Both.","tool_calls":[` +
	`{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},` +
	`{"id":"c2","type":"function","function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]},` +
	`{"role":"tool","tool_call_id":"c1","content":"text of a é"},` +
	`{"role":"tool","tool_call_id":"c2","content":"text of b"},` +
	`{"role":"user","content":"and now?"},{"role":"assistant","content":"done"}]}`

// A conversation is the same in every format.
func TestFormatsAreReadAlike(t *testing.T) {
	inMessages, err := convert.Messages([]byte(session))
	if err != nil {
		t.Fatal(err)
	}
	for want, body := range map[view.Format][]byte{
		chat.Format: []byte(session), messages.Format: inMessages,
		responses.Format: convert.Responses([]byte(session)),
	} {
		if got := aschat.FormatOf(body); got != want {
			t.Fatalf("%s is read as %v", want.Name(), got)
		}
		sameAs(t, []byte(session), body)
	}
}

// sameAs fails unless a body in some format has the same conversation as a chat body.
func sameAs(t *testing.T, want, body []byte) {
	t.Helper()
	format := aschat.FormatOf(body)
	converted, err := aschat.Convert(body, format)
	if err != nil {
		t.Fatal(err)
	}
	before, err := chat.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	after, err := chat.Parse(converted)
	if err != nil {
		t.Fatalf("%s: %v\n%s", format.Name(), err, converted)
	}
	a, b := before.Messages(), after.Messages()
	if len(a) != len(b) {
		t.Fatalf("%s: %d messages, want %d:\n%s", format.Name(), len(b), len(a), converted)
	}
	for i := range a {
		if !bytes.Equal(a[i].AppendCanonical(nil), b[i].AppendCanonical(nil)) {
			t.Errorf("%s, message %d:\n%s\nwant\n%s", format.Name(), i, b[i].Raw, a[i].Raw)
		}
	}
	for _, field := range []string{"model", "tools"} {
		if !bytes.Equal(before.Field(field), after.Field(field)) {
			t.Errorf("%s, %s:\n%s\nwant\n%s", format.Name(), field, after.Field(field),
				before.Field(field))
		}
	}
}

// What chat cannot express is left out, and everything else is kept.
func TestWhatOnlyOtherFormatsHave(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"blocks of Messages": {
			`{"model":"m","max_tokens":9,"system":[{"type":"text","text":"x-anthropic-billing-` +
				`header: 7"},{"type":"text","text":"You.","cache_control":{"type":"ephemeral"}}],` +
				`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[` +
				`{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"ok"},` +
				`{"type":"tool_use","id":"t","name":"read","input":{"path": "a"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` +
				`{"type":"text","text":"A"}]},{"type":"text","text":"go on",` +
				`"cache_control":{"type":"ephemeral"}}]}]}`,
			`{"model":"m","messages":[{"role":"system","content":"You."},` +
				`{"role":"user","content":"hi"},{"role":"assistant","content":"ok","tool_calls":[` +
				`{"id":"t","type":"function","function":{"name":"read",` +
				`"arguments":"{\"path\": \"a\"}"}}]},{"role":"tool","tool_call_id":"t",` +
				`"content":"A"},{"role":"user","content":"go on"}]}`,
		},
		"items of Responses": {
			`{"model":"m","instructions":"You.","store":false,"input":[` +
				`{"role":"user","content":[{"type":"input_text","text":"hi"}]},` +
				`{"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"},` +
				`{"type":"custom_tool_call","call_id":"c","name":"exec","input":"ls()"},` +
				`{"type":"custom_tool_call_output","call_id":"c","output":"a b"}]}`,
			`{"model":"m","messages":[{"role":"system","content":"You."},` +
				`{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[` +
				`{"id":"c","type":"custom","custom":{"name":"exec","input":"ls()"}}]},` +
				`{"role":"tool","tool_call_id":"c","content":"a b"}]}`,
		},
		"contents of Gemini": {
			`{"model":"m","system_instruction":{"parts":[{"text":"You."}]},"tools":[` +
				`{"googleSearch":{}},{"functionDeclarations":[{"name":"read","description":` +
				`"reads","parametersJsonSchema":{"type":"object"}}]}],"contents":[` +
				`{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[` +
				`{"text":"hm","thought":true},{"text":"ok"},{"functionCall":{"name":"read",` +
				`"args":{"path": "a"}},"thoughtSignature":"s"},{"functionCall":{"id":"7",` +
				`"name":"read","args":{"path": "b"}}}]},{"role":"user","parts":[` +
				`{"functionResponse":{"id":"7","name":"read","response":{"output":"B"}}},` +
				`{"functionResponse":{"name":"read","response":{"output":"A","n":1}}},` +
				`{"text":"go on"}]}]}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"read",` +
				`"description":"reads","parameters":{"type":"object"}}}],"messages":[` +
				`{"role":"system","content":"You."},{"role":"user","content":"hi"},` +
				`{"role":"assistant","content":"ok","tool_calls":[` +
				`{"id":"read","type":"function","function":{"name":"read",` +
				`"arguments":"{\"path\": \"a\"}"}},{"id":"read#1","type":"function",` +
				`"function":{"name":"read","arguments":"{\"path\": \"b\"}"}}]},` +
				`{"role":"tool","tool_call_id":"read#1","content":"B"},` +
				`{"role":"tool","tool_call_id":"read","content":"{\"output\":\"A\",\"n\":1}"},` +
				`{"role":"user","content":"go on"}]}`,
		},
		"contents of Code Assist": {
			`{"project":"p","request":{"tools":[{"functionDeclarations":[{"name":"read",` +
				`"parameters":{}}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}]},` +
				`"model":"m"}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"read",` +
				`"parameters":{}}}],"messages":[{"role":"user","content":"hi"}]}`,
		},
		"blocks of Converse": {
			`{"model":"m","system":[{"text":"You."},{"cachePoint":{"type":"default"}}],` +
				`"toolConfig":{"tools":[{"toolSpec":{"name":"read","description":"reads",` +
				`"inputSchema":{"json":{"type":"object"}}}}]},"messages":[{"role":"user",` +
				`"content":[{"text":"hi"}]},{"role":"assistant","content":[{"reasoningContent":` +
				`{"reasoningText":{"text":"hm","signature":"s"}}},{"text":"ok"},{"toolUse":` +
				`{"toolUseId":"t","name":"read","input":{"path": "a"}}}]},{"role":"user",` +
				`"content":[{"toolResult":{"toolUseId":"t","content":[{"text":"A"}]}},` +
				`{"cachePoint":{"type":"default"}},{"text":"go on"}]}]}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"read",` +
				`"description":"reads","parameters":{"type":"object"}}}],"messages":[` +
				`{"role":"system","content":"You."},{"role":"user","content":"hi"},` +
				`{"role":"assistant","content":"ok","tool_calls":[{"id":"t","type":"function",` +
				`"function":{"name":"read","arguments":"{\"path\": \"a\"}"}}]},` +
				`{"role":"tool","tool_call_id":"t","content":"A"},` +
				`{"role":"user","content":"go on"}]}`,
		},
		"messages of Ollama": {
			`{"model":"m","options":{"num_ctx":9},"tools":[{"type":"function","function":{` +
				`"name":"read"}}],"messages":[{"role":"user","content":"hi","images":["AA"]},` +
				`{"role":"assistant","thinking":"hm","content":"ok","tool_calls":[{"function":` +
				`{"name":"read","arguments":{"path": "a"}}},{"function":{"name":"read",` +
				`"arguments":{"path": "b"}}}]},{"role":"tool","content":"A"},{"role":"tool",` +
				`"content":"B"}]}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"read"}}],"messages":[` +
				`{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url",` +
				`"image_url":{"url":"data:image/png;base64,AA"}}]},` +
				`{"role":"assistant","content":"ok","tool_calls":[` +
				`{"id":"","type":"function","function":{"name":"read",` +
				`"arguments":"{\"path\": \"a\"}"}},{"id":"#1","type":"function",` +
				`"function":{"name":"read","arguments":"{\"path\": \"b\"}"}}]},` +
				`{"role":"tool","tool_call_id":"","content":"A"},` +
				`{"role":"tool","tool_call_id":"#1","content":"B"}]}`,
		},
		"a text of Responses": {
			`{"model":"m","instructions":"You.","input":"a \"b\""}`,
			`{"model":"m","messages":[{"role":"system","content":"You."},` +
				`{"role":"user","content":"a \"b\""}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) { sameAs(t, []byte(c.want), []byte(c.body)) })
	}
}

func TestFormatOf(t *testing.T) {
	for body, want := range map[string]view.Format{
		`{"messages":[{"role":"user","content":"a"}]}`:                    chat.Format,
		`{"messages":[{"role":"user","content":"a"}],"system":"b"}`:       messages.Format,
		`{"messages":[],"tools":[{"name":"a","input_schema":{}}]}`:        messages.Format,
		`{"messages":[{"content":[{"type":"tool_result"}]}]}`:             messages.Format,
		`{"messages":[{"content":[{"text":"a"}]}]}`:                       converse.Format,
		`{"messages":[],"toolConfig":{}}`:                                 converse.Format,
		`{"messages":[{"content":[{"type":"text","text":"a"}]}]}`:         chat.Format,
		`{"messages":[],"options":{}}`:                                    chat.Ollama,
		`{"messages":[{"role":"tool","tool_name":"a"}]}`:                  chat.Ollama,
		`{"messages":[{"tool_calls":[{"function":{"arguments":{}}}]}]}`:   chat.Ollama,
		`{"messages":[{"tool_calls":[{"function":{"arguments":"{}"}}]}]}`: chat.Format,
		`{"input":[{"role":"user","content":"a"}]}`:                       responses.Format,
		`{"contents":[{"parts":[{"text":"a"}]}]}`:                         gemini.Format,
		`{"request":{"contents":[{"parts":[{"text":"a"}]}]}}`:             gemini.CodeAssist,
		`{"contents":"a"}`: nil, `{"request":{"contents":"a"}}`: nil, `{"request":[]}`: nil,
		`{"input":"a"}`: responses.Format, `{"type":"custom_tool_call","input":"a"}`: nil,
		`{"messages":"a"}`: nil, `[]`: nil, `{`: nil, ``: nil,
	} {
		if got := aschat.FormatOf(rawjson.Value(body)); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}

// Recorded conversations are the same after a conversion to Responses and back. Conversations in
// which Responses has fewer messages are skipped.
func TestRecordedConversationsComeBack(t *testing.T) {
	compared := 0
	for _, c := range recorded.Some(t, 0, 16) {
		body := c.Body(`"model":"m"`, len(c.Messages))
		req, err := chat.Parse(convertBack(t, convert.Responses(body)))
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if before := c.Parse(t); len(before) != len(req.Messages()) {
			continue // consecutive messages of one role are one message there
		}
		compared++
		sameText(t, c.ID, c.Parse(t), req.Messages())
	}
	if compared == 0 {
		t.Error("no conversation was compared")
	}
}

func convertBack(t *testing.T, body []byte) []byte {
	t.Helper()
	converted, err := aschat.Convert(body, aschat.FormatOf(body))
	if err != nil {
		t.Fatal(err)
	}
	return converted
}

func sameText(t *testing.T, id string, want, got []view.Message) {
	t.Helper()
	for i := range want {
		if want[i].Text() != got[i].Text() ||
			len(want[i].ToolCalls()) != len(got[i].ToolCalls()) {
			t.Errorf("%s, message %d:\n%.300s\nwant\n%.300s", id, i, got[i].Raw, want[i].Raw)
			return
		}
	}
}

// A format may state that a call failed. Decisions depend on it, so it is kept.
func TestFailedCallsAreKept(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"run",` +
			`"input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t",` +
			`"content":"no","is_error":true}]}]}`: `"is_error":true`,
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"run",` +
			`"input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t",` +
			`"content":"no","is_error":false}]}]}`: `"is_error":false`,
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[` +
			`{"functionCall":{"name":"run","args":{}}}]},{"role":"user","parts":[` +
			`{"functionResponse":{"name":"run","response":{"error":"no"}}}]}]}`: `"is_error":true`,
	} {
		converted, err := aschat.Convert([]byte(body), aschat.FormatOf([]byte(body)))
		if err != nil || !bytes.Contains(converted, []byte(want)) {
			t.Errorf("%s (%v), want %s", converted, err, want)
		}
	}
}
