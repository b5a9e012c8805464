package format

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestErrorsInEachFormat(t *testing.T) {
	e := Error{Status: 502, Message: `No "reply".`, Type: "upstream_error", Code: "upstream_cut",
		RequestID: "req_1"}
	const openai = `{"error":{"message":"No \"reply\".","type":"upstream_error","param":null,` +
		`"code":"upstream_cut"}}`
	const anthropic = `{"type":"error","error":{"type":"api_error","message":"No \"reply\"."},` +
		`"request_id":"req_1"}`
	for _, test := range []struct {
		format      Format
		body, event string
	}{
		{Chat, openai, "data: " + openai + "\n\n"},
		{Other, openai, "data: " + openai + "\n\n"},
		{Messages, anthropic, "event: error\ndata: " + anthropic + "\n\n"},
		{Responses, openai, "event: error\ndata: {\"type\":\"error\",\"code\":\"upstream_cut\"," +
			"\"message\":\"No \\\"reply\\\".\",\"param\":null,\"sequence_number\":0}\n\n"},
	} {
		if got := string(e.Body(test.format)); got != test.body || !json.Valid([]byte(got)) {
			t.Errorf("%s: body %s", test.format, got)
		}
		if got := string(e.Event(test.format)); got != test.event {
			t.Errorf("%s: event %q", test.format, got)
		}
	}
	e.RequestID = ""
	if got := string(e.Body(Messages)); !strings.HasSuffix(got, `"request_id":null}`) {
		t.Errorf("without an id: %s", got)
	}
}

func TestErrorOfOllama(t *testing.T) {
	const want = `{"error":"No \"reply\"."}`
	if got := (Error{Status: 502, Message: `No "reply".`}).Body(Ollama); string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTypesOfAnthropicByStatus(t *testing.T) {
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
		404: "not_found_error", 405: "invalid_request_error", 408: "invalid_request_error",
		413: "request_too_large", 426: "invalid_request_error", 429: "rate_limit_error",
		499: "invalid_request_error", 500: "api_error", 502: "api_error", 503: "overloaded_error",
		504: "timeout_error", 529: "overloaded_error",
	} {
		if got := messagesType(status); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
}

func TestTypesOfBedrockByStatus(t *testing.T) {
	const want = `{"__type":"ValidationException","message":"No \"reply\"."}`
	if got := (Error{Status: 400, Message: `No "reply".`}).Body(Converse); string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	for status, want := range map[int]string{
		400: "ValidationException", 401: "AccessDeniedException", 403: "AccessDeniedException",
		404: "ResourceNotFoundException", 408: "ModelTimeoutException",
		413: "ValidationException", 429: "ThrottlingException", 500: "InternalServerException",
		502: "ServiceUnavailableException", 503: "ServiceUnavailableException",
		504: "ModelTimeoutException",
	} {
		if got := ConverseType(status); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
}
