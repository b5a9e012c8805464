package keepalive

import (
	"net/http"
	"strings"
	"testing"

	"killick/chat"
	"killick/messages"
	"killick/proxy/format"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

var views = map[format.Format]view.Format{
	format.Chat: chat.Format, format.Messages: messages.Format, format.Responses: responses.Format,
}

func TestShortened(t *testing.T) {
	const (
		said  = `"messages":[{"role":"user","content":"a  b"}]`
		input = `"input":[{"role":"user","content":"a  b"}]`

		code = `{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},` +
			`{"type":"tool_use","id":"1"}]},{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"1"}]}`
		ended = `{"role":"assistant","content":[{"type":"code_execution_tool_result",` +
			`"tool_use_id":"s"}]},{"role":"user","content":"c"}`
	)
	for _, test := range []struct {
		name       string
		format     format.Format
		body, want string // if want is empty, the request is left alone
	}{
		{"chat", format.Chat, `{"model":"m", "stream":true,"stream_options":{"include_usage":` +
			`true},` + said + `,"max_tokens": 4096}`, `{"model":"m",` + said + `,"max_tokens": 1}`},
		{"chat, bounded by the newer member", format.Chat,
			`{` + said + `,"max_completion_tokens":9,"store":true}`,
			`{` + said + `,"max_completion_tokens":1,"store":false}`},
		{"chat, not bounded", format.Chat, `{"model":"gpt-4.1",` + said + `}`,
			`{"model":"gpt-4.1",` + said + `,"max_tokens":1}`},
		{"chat, not bounded, a model that reasons", format.Chat,
			`{"model":"openai/gpt-5.1",` + said + `}`,
			`{"model":"openai/gpt-5.1",` + said + `,"max_completion_tokens":1}`},
		{"chat, another one", format.Chat, `{"model":"o3",` + said + `}`,
			`{"model":"o3",` + said + `,"max_completion_tokens":1}`},
		{"chat, two answers", format.Chat, `{` + said + `,"n":2}`, ""},
		{"chat, spoken", format.Chat, `{` + said + `,"audio":{}}`, ""},
		{"chat, predicted", format.Chat, `{` + said + `,"prediction":{}}`, ""},
		{"chat, another price", format.Chat, `{` + said + `,"service_tier":"priority"}`, ""},
		{"messages", format.Messages,
			`{"stream":true,"max_tokens":64000,"thinking":{"type":"adaptive"},` + said + `}`,
			`{"max_tokens":1,"thinking":{"type":"adaptive"},` + said + `}`},
		{"messages, a budget of thinking", format.Messages,
			`{"max_tokens":64000,"thinking":{"type":"enabled","budget_tokens":1024},` + said + `}`,
			""},
		{"messages, code that goes on with a result", format.Messages,
			`{"max_tokens":9,` + strings.Replace(said, "]", `,`+code+`]`, 1) + `}`, ""},
		{"messages, code that has ended", format.Messages,
			`{"max_tokens":9,` + strings.Replace(said, "]", `,`+code+`,`+ended+`]`, 1) + `}`,
			`{"max_tokens":1,` + strings.Replace(said, "]", `,`+code+`,`+ended+`]`, 1) + `}`},
		{"messages, another price", format.Messages, `{"max_tokens":1,"speed":"fast",` + said + `}`,
			""},
		{"messages, compacted by the provider", format.Messages,
			`{"max_tokens":9,"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}` +
				`]},` + said + `}`, ""},
		{"responses", format.Responses,
			`{` + input + `,"stream":true,"tools":[{"type":"function"},{"type":"custom"}]}`,
			`{` + input + `,"tools":[{"type":"function"},{"type":"custom"}],` +
				`"max_output_tokens":16,"store":false}`},
		{"responses, a tool of the provider's", format.Responses,
			`{` + input + `,"tools":[{"type":"mcp"}]}`, ""},
		{"responses, one of them in a namespace", format.Responses,
			`{` + input + `,"tools":[{"type":"namespace","tools":[{"type":"mcp"}]}]}`, ""},
		{"responses, one of them in the input", format.Responses,
			`{"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"mcp"}]},` +
				`{"role":"user","content":"a"}]}`, ""},
		{"responses, the client's in the input", format.Responses,
			`{"input":[{"type":"additional_tools","role":"developer","tools":[{"type":` +
				`"namespace","tools":[{"type":"function"}]}]},{"role":"user","content":"a"}]}`,
			`{"input":[{"type":"additional_tools","role":"developer","tools":[{"type":` +
				`"namespace","tools":[{"type":"function"}]}]},{"role":"user","content":"a"}],` +
				`"max_output_tokens":16,"store":false}`},
		{"responses, in the background", format.Responses, `{` + input + `,"background":true}`, ""},
		{"responses, kept by the provider", format.Responses,
			`{` + input + `,"previous_response_id":"resp_1"}`, ""},
		{"responses, partly kept by the provider", format.Responses,
			`{"input":[{"role":"user","content":"a"},{"type":"item_reference","id":"msg_1"}]}`, ""},
		{"another format", format.Other, `{` + said + `}`, ""},
	} {
		as := views[test.format]
		if as == nil {
			as = chat.Format
		}
		r, err := view.Parse(as, []byte(test.body))
		if err != nil {
			t.Fatal(test.name, err)
		}
		m, ok := shortened(test.format, r)
		got := ""
		if ok {
			got = string(rawjson.WithMembers([]byte(test.body), m.set))
		}
		if got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
	}
}

func TestHeaderOfRequestsSentAgain(t *testing.T) {
	sent := http.Header{"Authorization": {"Bearer k"}, "Anthropic-Beta": {"a", "b"},
		"Content-Encoding": {"zstd"}, "Idempotency-Key": {"1"}, "Accept-Encoding": {"br"},
		"Accept": {"text/event-stream"}, "Session_id": {"s"}}
	got := headerOf(sent)
	var names []string
	for _, name := range []string{"Authorization", "Anthropic-Beta", "Session_id",
		"Content-Encoding", "Idempotency-Key"} {
		if len(got[name]) > 0 {
			names = append(names, name)
		}
	}
	if list := strings.Join(names, " "); list != "Authorization Anthropic-Beta Session_id" {
		t.Errorf("the header has %s", list)
	}
	if got.Get("Accept-Encoding") != "identity" || got.Get("Accept") != "application/json" {
		t.Errorf("the answer may be anything: %v", got)
	}
	if len(sent["Content-Encoding"]) == 0 {
		t.Error("the header that was sent is changed")
	}
}
