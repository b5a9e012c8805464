package fakemessages

import (
	"net/http"
	"strings"
	"testing"
)

func TestAcceptsWhatIsValid(t *testing.T) {
	s := start(t, Config{})
	mark := `"cache_control":{"type":"ephemeral"}`
	for name, body := range map[string]string{
		"a string": bodyOf(newer, "", hi),
		"blocks": bodyOf(newer, `"system":[{"type":"text","text":"s",`+mark+`}]`,
			says("user", "x")),
		"runs of a role": bodyOf(newer, "", hi, hi, says("assistant", "a"),
			says("assistant", "b"), hi),
		"a system string": bodyOf(newer, `"system":"be brief","metadata":{"user_id":"u"}`, hi),
		"an empty system": bodyOf(newer, `"system":""`, hi),
		"parallel calls": bodyOf(newer, tools, hi, turnOf("assistant", calls("a"), calls("b")),
			turnOf("user", results("b", ""), results("a", "x"), `{"type":"text","text":"go on"}`)),
		"calls over two messages": bodyOf(newer, tools, hi, turnOf("assistant", calls("a")),
			turnOf("assistant", calls("b")), turnOf("user", results("a", "x")),
			turnOf("user", results("b", "x"))),
		"a result of blocks": bodyOf(newer, "", hi, turnOf("assistant", calls("a")),
			turnOf("user", `{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[`+
				`{"type":"text","text":"x",`+mark+`},{"type":"image","source":{"type":"base64",`+
				`"media_type":"image/png","data":"aGk="}}]}`)),
		"a server tool": bodyOf(newer, "", hi, turnOf("assistant", serverCall("q"),
			serverResult("q"), `{"type":"text","text":"found"}`), hi),
		"a server tool that runs": bodyOf(newer, "", hi, turnOf("assistant", serverCall("q"))),
		"a server tool beside a call": bodyOf(newer, "", hi,
			turnOf("assistant", serverCall("q"), calls("a")), turnOf("user", results("a", "x")),
			turnOf("assistant", serverResult("q"), `{"type":"text","text":"found"}`), hi),
		"prefill where it works": bodyOf(older, "", hi, says("assistant", "It is (")),
		"a system message":       bodyOf(newer, "", hi, `{"role":"system","content":"be brief"}`),
		"four marks": bodyOf(newer, mark+`,"system":[{"type":"text","text":"s",`+
			`"cache_control":{"type":"ephemeral","ttl":"1h"}}]`, turnOf("user",
			`{"type":"text","text":"1",`+mark+`}`, `{"type":"text","text":"2",`+mark+`}`,
			`{"type":"text","text":"3"}`)),
	} {
		if a := ask(t, s, body); a.status != http.StatusOK {
			t.Errorf("%s: %d %s, want 200", name, a.status, a.body)
		}
	}
}

func serverCall(id string) string {
	return `{"type":"server_tool_use","id":"srvtoolu_` + id + `","name":"web_search",` +
		`"input":{"query":"x"}}`
}

// byCode is a call that the server tool q makes.
func byCode(id string) string {
	return strings.Replace(calls(id), "{", `{"caller":{"type":"code_execution_20260120",`+
		`"tool_id":"srvtoolu_q"},`, 1)
}

func serverResult(id string) string {
	return `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_` + id + `","content":[]}`
}

func TestRefusesMembers(t *testing.T) {
	s := start(t, Config{})
	for _, test := range []struct{ want, body string }{
		{"The request body is not valid JSON", `{"model":`},
		{"The request body is not valid JSON", bodyOf(newer, "", hi) + "x"},
		{"Input should be a valid dictionary", `[]`},
		{"model: Field required", `{"max_tokens":1,"messages":[` + hi + `]}`},
		{"messages: Field required", `{"model":"claude-opus-5","max_tokens":1}`},
		{"max_tokens: Field required", `{"model":"claude-opus-5","messages":[` + hi + `]}`},
		{"max_tokens: Input should be a valid integer",
			`{"model":"claude-opus-5","max_tokens":"9","messages":[` + hi + `]}`},
		{"prompt: Extra inputs are not permitted", bodyOf(newer, `"prompt":"x"`, hi)},
		{"context_management: Extra inputs are not permitted",
			bodyOf(newer, `"context_management":{"edits":[]}`, hi)},
		{"messages: at least one message is required", bodyOf(newer, "")},
		{"messages.0.name: Extra inputs are not permitted",
			bodyOf(newer, "", `{"role":"user","name":"x","content":"x"}`)},
		{"messages.0.content: Field required", bodyOf(newer, "", `{"role":"user"}`)},
		{"messages.0.content.0.text.extra: Extra inputs are not permitted",
			bodyOf(newer, "", turnOf("user", `{"type":"text","text":"x","extra":1}`))},
		{"messages.0.content.0: Input tag 'odd' found using 'type' does not match any of the " +
			"expected tags", bodyOf(newer, "", turnOf("user", `{"type":"odd"}`))},
		{"messages.0.content.0.image.source: Field required",
			bodyOf(newer, "", turnOf("user", `{"type":"image"}`))},
		{"system.0: Input tag 'image' found", bodyOf(newer, `"system":[{"type":"image"}]`, hi)},
		{"system: text content blocks must be non-empty",
			bodyOf(newer, `"system":[{"type":"text","text":""}]`, hi)},
		{"tools: Tool names must be unique.", bodyOf(newer, strings.Replace(tools, "]",
			`,{"name":"read","input_schema":{}}]`, 1), hi)},
		{"tools.0.custom.input_schema: Field required",
			bodyOf(newer, `"tools":[{"name":"x"}]`, hi)},
		{"messages.1.content.0: Input tag 'compaction' found",
			bodyOf(newer, "", hi, turnOf("assistant", `{"type":"compaction","content":"x"}`), hi)},
	} {
		refused(t, s, test.want, test.body)
	}
	accepted(t, s, bodyOf(newer, `"context_management":{"edits":[]}`, hi), "Anthropic-Beta",
		"a-2025-01-01, context-management-2025-06-27")
}

const noPrefill = "This model does not support assistant message prefill. The conversation must " +
	"end with a user message."

func TestRefusesTurns(t *testing.T) {
	s := start(t, Config{})
	call := turnOf("assistant", calls("a"))
	for _, test := range []struct{ want, body string }{
		{`messages: first message must use the "user" role`,
			bodyOf(newer, "", says("assistant", "x"), hi)},
		{`messages: Unexpected role "tool"`, bodyOf(newer, "", hi, says("tool", "x"))},
		{`messages: Unexpected role "system". The Messages API accepts a top-level`,
			bodyOf(older, "", hi, says("system", "x"), hi)},
		{"messages: text content blocks must be non-empty", bodyOf(newer, "", says("user", ""))},
		{"messages: text content blocks must contain non-whitespace text",
			bodyOf(newer, "", says("user", " \n"))},
		{"messages.1: all messages must have non-empty content except for the optional final " +
			"assistant message", bodyOf(newer, "", hi, `{"role":"assistant","content":""}`, hi)},
		{noPrefill, bodyOf(newer, "", hi, says("assistant", "It is ("))},
		{noPrefill, bodyOf("claude-sonnet-4-6", "", hi, says("assistant", "It is ("))},
		{"messages: final assistant content cannot end with trailing whitespace",
			bodyOf(older, "", hi, says("assistant", "It is "))},
		{"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: " +
			"a. Each `tool_use` block must have", bodyOf(newer, "", hi, call, hi)},
		{"immediately after: a", bodyOf(newer, "", hi, call)},
		{"immediately after: a", bodyOf(newer, "", hi, call, turnOf("user",
			`{"type":"text","text":"first this"}`, results("a", "x")))},
		{"immediately after: b", bodyOf(newer, "", hi, turnOf("assistant", calls("a"), calls("b")),
			turnOf("user", results("a", "x")))},
		{"messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: z. Each " +
			"`tool_result` block must have a corresponding `tool_use` block in the previous " +
			"message.", bodyOf(newer, "", hi, call, turnOf("user", results("a", "x"),
			results("z", "x")))},
		{"messages.0.content.0: unexpected `tool_use_id`",
			bodyOf(newer, "", turnOf("user", results("a", "x")))},
		{"each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
			bodyOf(newer, "", hi, call, turnOf("user", results("a", "x"), results("a", "y")))},
		{"messages.3.content.0: `tool_use` ids must be unique", bodyOf(newer, "", hi, call,
			turnOf("user", results("a", "x")), call, turnOf("user", results("a", "x")))},
		{"messages.1.content.0.tool_use.id: String should match pattern",
			bodyOf(newer, "", hi, turnOf("assistant", calls("a b")),
				turnOf("user", results("a b", "")))},
		{"messages.1: `tool_result` blocks can only be in `user` messages",
			bodyOf(newer, "", hi, turnOf("assistant", results("a", "x")), hi)},
		{"messages.0: `tool_use` blocks can only be in `assistant` messages",
			bodyOf(newer, "", turnOf("user", calls("a")))},
		{"messages.1: `web_search` tool use with id `srvtoolu_q` was found without a " +
			"corresponding `web_search_tool_result` block",
			bodyOf(newer, "", hi, turnOf("assistant", serverCall("q")), hi, hi)},
		{"messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` " +
			"blocks: srvtoolu_q. Each `web_search_tool_result` block must have a corresponding " +
			"`server_tool_use` block before it.",
			bodyOf(newer, "", hi, turnOf("assistant", serverResult("q"), serverCall("q")), hi)},
		{"messages.3.content.0: unexpected `tool_use_id` found in `web_search_tool_result`",
			bodyOf(newer, "", hi, turnOf("assistant", calls("a")),
				turnOf("user", results("a", "x")), turnOf("assistant", serverResult("q")), hi)},
		{"messages.1: `web_search` tool use with id `srvtoolu_q` was found without a " +
			"corresponding `web_search_tool_result` block", bodyOf(newer, "", hi,
			turnOf("assistant", serverCall("q"), calls("a")), turnOf("user", results("a", "x"),
				`{"type":"text","text":"and"}`), turnOf("assistant", serverResult("q")), hi)},
		{"messages.1.content.0.caller: no code that runs has the id srvtoolu_q",
			bodyOf(newer, "", hi, turnOf("assistant", byCode("a")),
				turnOf("user", results("a", "x")))},
		{"messages.2.content.0: Tool use result for a called by code execution cannot have " +
			"cache_control", bodyOf(newer, "", hi, turnOf("assistant", serverCall("q"),
			byCode("a")), turnOf("user", strings.Replace(results("a", "x"), "{",
			`{"cache_control":{"type":"ephemeral"},`, 1)))},
		{"messages.1.content.0.server_tool_use.input.query: Field required",
			bodyOf(newer, "", hi, turnOf("assistant", strings.Replace(serverCall("q"),
				`"query":"x"`, "", 1), serverResult("q")), hi)},
	} {
		refused(t, s, test.want, test.body)
	}
}

func TestRefusesMarks(t *testing.T) {
	s := start(t, Config{})
	text := func(text, ttl string) string {
		return `{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"` + ttl +
			`}}`
	}
	const hour = `,"ttl":"1h"`
	four := strings.Join([]string{text("a", ""), text("b", ""), text("c", ""), text("d", "")}, ",")
	for _, test := range []struct{ want, body string }{
		{"A maximum of 4 blocks with cache_control may be provided. Found 5.",
			bodyOf(newer, `"system":[`+text("s", "")+`]`, turnOf("user", four))},
		{"A maximum of 4 blocks with cache_control may be provided. Found 5.",
			bodyOf(newer, `"cache_control":{"type":"ephemeral"}`, turnOf("user", four), hi)},
		{"messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come " +
			"after a ttl='5m' cache_control block. Note that blocks are processed in the " +
			"following order: `tools`, `system`, `messages`.",
			bodyOf(newer, "", turnOf("user", text("a", ""), text("b", hour)))},
		{"system.0.cache_control.ttl: a ttl='1h'", bodyOf(newer, `"system":[`+text("s", hour)+
			`],"tools":[{"name":"x","input_schema":{},"cache_control":{"type":"ephemeral"}}]`, hi)},
		{"Top-level cache_control has ttl='5m' but the target block already has cache_control " +
			"with ttl='1h'",
			bodyOf(newer, `"cache_control":{"type":"ephemeral"}`, turnOf("user", text("a", hour)))},
		{"messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'",
			bodyOf(newer, "", turnOf("user", text("a", `,"ttl":"2h"`)))},
		{"messages.0.content.0.text: cache_control cannot be set for empty text blocks",
			bodyOf(newer, "", turnOf("user", text("", "")))},
		{"messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
			bodyOf(newer, "", hi, turnOf("assistant", `{"type":"thinking","thinking":"",`+
				`"signature":"x","cache_control":{"type":"ephemeral"}}`), hi)},
	} {
		refused(t, s, test.want, test.body)
	}
}

func TestKeysAndPaths(t *testing.T) {
	s := start(t, Config{Keys: []string{"sk-one", "sk-ant-oat01-two"}})
	body := bodyOf(newer, "", hi)
	accepted(t, s, body, "X-Api-Key", "sk-one")
	accepted(t, s, body, "Authorization", "Bearer sk-ant-oat01-two")
	for _, test := range []struct {
		header []string
		want   string
	}{
		{[]string{"X-Api-Key", "sk-two"}, "invalid x-api-key"},
		{[]string{"Authorization", "Bearer sk-one"}, "Invalid bearer token"},
		{nil, "x-api-key header is required"},
	} {
		got := ask(t, s, body, test.header...).refusal(t, 401, "authentication_error")
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.header, got, test.want)
		}
	}
	key := []string{"X-Api-Key", "sk-one"}
	post(t, s, "/v1/other", body, key...).refusal(t, 404, "not_found_error")
	got := ask(t, s, bodyOf("claude-unheard-of", "", hi), key...).refusal(t, 404, "not_found_error")
	if got != "model: claude-unheard-of" {
		t.Errorf("an unknown model is refused with %q", got)
	}
	refused(t, s, "anthropic-version: header is required", body, append(key,
		"Anthropic-Version", "")...)
}
