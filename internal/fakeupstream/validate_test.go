package fakeupstream

import (
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// call and result write the messages of a tool call.
func call(ids ...string) string {
	var calls []string
	for _, id := range ids {
		calls = append(calls,
			`{"id":"`+id+`","type":"function","function":{"name":"read","arguments":"{}"}}`)
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func result(id string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"done"}`
}

const (
	user         = `{"role":"user","content":"go on"}`
	functionCall = `{"role":"assistant","content":null,"function_call":{"name":"sum",` +
		`"arguments":"{}"}}`
	function = `{"role":"function","name":"sum","content":"3"}`
)

func TestAcceptsWhatOpenAIAccepts(t *testing.T) {
	s := start(t, Config{})
	for name, messages := range map[string][]string{
		"parallel results in another order": {user, call("a", "b", "c"), result("c"), result("a"),
			result("b"), user},
		"an id used again in a later turn": {user, call("a"), result("a"), call("a"), result("a")},
		"legacy functions":                 {user, functionCall, function},
		"every role": {`{"role":"system","content":"s"}`,
			`{"role":"developer","content":"d"}`, user, `{"role":"assistant","content":"a"}`},
		"instructions in the middle": {user, `{"role":"assistant","content":"a"}`,
			`{"role":"system","content":"s"}`, user},
		"empty contents": {`{"role":"user","content":""}`,
			`{"role":"assistant","content":"","refusal":null,"annotations":[]}`},
		"a refusal without content": {user, `{"role":"assistant","content":null,"refusal":"no"}`},
		"no calls as null":          {user, `{"role":"assistant","content":"a","tool_calls":null}`},
		"a custom call": {user,
			`{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"sql",` +
				`"input":"select"}}]}`, result("a")},
		"lone surrogates": {`{"role":"user","content":"\ud83d"}`},
		"parts": {`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url",` +
			`"image_url":{"url":"https://example.com/a.png"}},` +
			`{"type":"input_audio","input_audio":{"data":"","format":"wav"}},{"type":"file",` +
			`"file":{"file_id":"f"}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if a := ask(t, s, chatBody(messages...)); a.status != http.StatusOK {
				t.Errorf("status %d, want 200: %s", a.status, a.body)
			}
		})
	}
}

func chatBody(messages ...string) string {
	return `{"model":"gpt-5.1","messages":[` + strings.Join(messages, ",") + `]}`
}

func TestCheck(t *testing.T) {
	if err := Check([]byte(hello)); err != nil {
		t.Errorf("a right request: %v", err)
	}
	for _, body := range []string{``, `{}`, chatBody(user, result("a")), chatBody(call("a"))} {
		if err := Check([]byte(body)); err == nil {
			t.Errorf("%q was accepted", body)
		}
	}
}

func TestRefusesInOpenAIsWords(t *testing.T) {
	const (
		orphaned = "Invalid parameter: messages with role 'tool' must be a response to a " +
			"preceeding message with 'tool_calls'." //nolint:misspell // OpenAI's spelling
		orphanedFunction = "Invalid parameter: messages with role 'function' must be a response " +
			"to a preceeding message with 'function_call'." //nolint:misspell // the same
		waiting = "An assistant message with 'tool_calls' must be followed by tool messages " +
			"responding to each 'tool_call_id'. The following tool_call_ids did not have " +
			"response messages: "
	)
	s := start(t, Config{})
	for _, test := range []struct{ name, body, message, param, code string }{
		{"orphan", chatBody(user, result("a")), orphaned, "messages.[1].role", ""},
		{"orphan after another message", chatBody(call("a"), result("a"), user, result("a")),
			orphaned, "messages.[3].role", ""},
		{"result given twice", chatBody(call("a"), result("a"), result("a")), orphaned,
			"messages.[2].role", ""},
		{"result of another call", chatBody(call("a"), result("b")), orphaned, "messages.[1].role",
			""},
		{"unanswered at the end", chatBody(user, call("a")), waiting + "a", "messages.[1].role",
			""},
		{"unanswered before a user", chatBody(call("a", "b", "c"), result("b"), user),
			waiting + "a, c", "messages.[0].role", ""},
		{"a system message between",
			chatBody(call("a"), `{"role":"system","content":"s"}`, result("a")), waiting + "a",
			"messages.[0].role", ""},
		{"orphan function", chatBody(user, function),
			orphanedFunction, "messages.[1].role", ""},
		{"unanswered function", chatBody(functionCall, user), "An assistant message with " +
			"'function_call' must be followed by a function message with its name. The following " +
			"function did not have a response message: sum", "messages.[0].role", ""},
		{"no id", chatBody(call("a"), `{"role":"tool","content":"x"}`),
			"Missing parameter 'tool_call_id': messages with role 'tool' must have a " +
				"'tool_call_id'.", "messages.[1].tool_call_id", ""},
		{"function without a name", chatBody(functionCall, `{"role":"function","content":"x"}`),
			"Missing parameter 'name': messages with role 'function' must have a 'name'.",
			"messages.[1].name", ""},
		{"no messages", `{"model":"gpt-5.1"}`, "Missing required parameter: 'messages'.",
			"messages", "missing_required_parameter"},
		{"messages of another type", `{"model":"gpt-5.1","messages":"hi"}`,
			"Invalid type for 'messages': expected an array of objects, but got a string instead.",
			"messages", "invalid_type"},
		{"messages that are no objects", `{"model":"gpt-5.1","messages":["hi"]}`,
			"Invalid type for 'messages': expected an array of objects, but got an array of " +
				"something else instead.", "messages", "invalid_type"},
		{"empty messages", chatBody(),
			"Invalid 'messages': empty array. Expected an array with minimum length 1, but got " +
				"an empty array instead.", "messages", "empty_array"},
		{"no role", chatBody(`{"content":"x"}`), "Missing required parameter: 'messages[0].role'.",
			"messages[0].role", "missing_required_parameter"},
		{"unknown role", chatBody(user, `{"role":"robot","content":"x"}`),
			"Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', " +
				"'function', 'tool', and 'developer'.", "messages[1].role", "invalid_value"},
		{"null from a user", chatBody(`{"role":"user","content":null}`),
			"Invalid value for 'content': expected a string, got null.", "messages.[0].content",
			""},
		{"an assistant that says nothing", chatBody(user, `{"role":"assistant"}`),
			"Invalid value for 'content': expected a string, got null.", "messages.[1].content",
			""},
		{"content of another type", chatBody(`{"role":"user","content":7}`),
			"Invalid type for 'messages[0].content': expected one of a string or array of " +
				"objects, but got a number instead.", "messages[0].content", "invalid_type"},
		{"no parts", chatBody(`{"role":"user","content":[]}`),
			"Invalid 'messages[0].content': empty array. Expected an array with minimum length " +
				"1, but got an empty array instead.", "messages[0].content", "empty_array"},
		{"part that is a string", chatBody(`{"role":"user","content":["x"]}`),
			"Invalid type for 'messages[0].content[0]': expected an object, but got a string " +
				"instead.", "messages[0].content[0]", "invalid_type"},
		{"part without a type", chatBody(`{"role":"user","content":[{"text":"x"}]}`),
			"Missing required parameter: 'messages[0].content[0].type'.",
			"messages[0].content[0].type", "missing_required_parameter"},
		{"part of an unknown type", chatBody(`{"role":"user","content":[{"type":"smell"}]}`),
			"Invalid value: 'smell'. Supported values are: 'text', 'image_url', 'input_audio', " +
				"'refusal', and 'file'.", "messages[0].content[0].type", "invalid_value"},
		{"part without its body",
			chatBody(`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url"}]}`),
			"Missing required parameter: 'messages[0].content[1].image_url'.",
			"messages[0].content[1].image_url", "missing_required_parameter"},
		{"no calls", chatBody(user, `{"role":"assistant","content":"x","tool_calls":[]}`),
			"Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum " +
				"length 1, but got an empty array " +
				"instead.", "messages[1].tool_calls", "empty_array"},
		{"calls of another type",
			chatBody(user, `{"role":"assistant","content":"x","tool_calls":{}}`),
			"Invalid type for 'messages[1].tool_calls': expected an array of objects, but got an " +
				"object instead.", "messages[1].tool_calls", "invalid_type"},
		{"call without arguments",
			chatBody(`{"role":"assistant","tool_calls":[{"id":"a","type":"function",` +
				`"function":{"name":"f"}}]}`),
			"Missing required parameter: 'messages[0].tool_calls[0].function.arguments'.",
			"messages[0].tool_calls[0].function.arguments", "missing_required_parameter"},
		{"call of an unknown type",
			chatBody(`{"role":"assistant","tool_calls":[{"id":"a","type":"wish"}]}`),
			"Invalid value: 'wish'. Supported values are: 'function' and 'custom'.",
			"messages[0].tool_calls[0].type", "invalid_value"},
		{"no model", `{"messages":[` + user + `]}`, "you must provide a model parameter", "", ""},
		{"not JSON", `{"model":`, openaiapi.NotJSON, "", ""},
		{"not an object", `[1]`, openaiapi.NotJSON, "", ""},
		{"messages given twice", `{"model":"gpt-5.1","messages":[` + user + `],"messages":[` +
			user + `]}`, openaiapi.NotJSON, "", ""},
		{"too many choices", `{"model":"gpt-5.1","n":129,"messages":[` + user + `]}`,
			"Invalid 'n': integer out of range. Expected a value between 1 and 128, but got 129 " +
				"instead.", "n", "invalid_value"},
		{"choices as text", `{"model":"gpt-5.1","n":"2","messages":[` + user + `]}`,
			"Invalid type for 'n': expected an integer, but got a string instead.", "n",
			"invalid_type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := ask(t, s, test.body)
			if a.status != http.StatusBadRequest {
				t.Fatalf("status %d, want 400: %s", a.status, a.body)
			}
			want := fakeserver.EncodeJSON(map[string]any{"error": struct {
				Message string  `json:"message"`
				Type    string  `json:"type"`
				Param   *string `json:"param"`
				Code    *string `json:"code"`
			}{test.message, "invalid_request_error", openaiapi.OrNull(test.param),
				openaiapi.OrNull(test.code)}})
			if a.body != string(want) {
				t.Errorf("got  %s\nwant %s", a.body, want)
			}
		})
	}
}
