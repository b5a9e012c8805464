package tap

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"killick/proxy/format"
)

const (
	tooLongMessage = `{"type":"error","error":{"type":"invalid_request_error","message":` +
		`"prompt is too long: 213462 tokens > 200000 maximum"},"request_id":"req_1"}`
	failedResponse = `{"type":"response.failed","sequence_number":2,"response":{"error":` +
		`{"code":"context_length_exceeded","message":"Your input exceeds the context window of ` +
		`this model."}}}`
	lmStudioError = `{"error":{"message":"The number of tokens to keep from the initial prompt ` +
		`is greater than the context length."}}`
)

// A refusal is found in each format, and every byte of the reply is given all the same.
func TestPeekInEachFormat(t *testing.T) {
	const events, json = "text/event-stream", "application/json"
	opening := "event: response.created\n" +
		"data: {\"type\":\"response.created\",\"response\":{}}\n\n" +
		"event: response.in_progress\ndata: {\"type\":\"response.in_progress\"}\n\n"
	// As OpenAI's do, its events repeat the instructions and tools of the request.
	const (
		repeats = `,"response":{"instructions":"TEXT"}}` + "\n\n"
		both    = `data: {"type":"response.created"` + repeats +
			`data: {"type":"response.in_progress"` + repeats
	)
	repeating := strings.ReplaceAll(both, "TEXT", strings.Repeat("be brief ", 20_000))
	for _, test := range []struct {
		name    string
		format  format.Format
		status  int
		media   string
		body    string
		refused string // whose wording it is
	}{
		{"a message refused", format.Messages, 400, json, tooLongMessage, "anthropic"},
		{"a message refused with 200", format.Messages, 200, json, tooLongMessage, "anthropic"},
		{"a message refused in a stream", format.Messages, 200, events,
			"event: ping\ndata: {\"type\": \"ping\"}\n\nevent: error\ndata: " + tooLongMessage +
				"\n\n", "anthropic"},
		{"a message that is cut short later", format.Messages, 200, events,
			"data: {\"type\":\"message_start\"}\n\ndata: " + tooLongMessage + "\n\n", ""},
		{"a message", format.Messages, 200, json, `{"type":"message","content":[]}`, ""},
		{"an overloaded upstream", format.Messages, 200, events, "data: {\"type\":\"error\"," +
			"\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", ""},
		{"a response refused", format.Responses, 400, json,
			`{"error":{"code":"context_length_exceeded","message":"no"}}`, "openai"},
		{"a response that failed first", format.Responses, 200, events, opening +
			"event: response.failed\ndata: " + failedResponse + "\n\n", "openai"},
		{"a response that failed behind what its request repeats", format.Responses, 200, events,
			repeating + "event: response.failed\ndata: " + failedResponse + "\n\n", "openai"},
		{"a response behind what its request repeats", format.Responses, 200, events,
			repeating + "data: {\"type\":\"response.output_item.added\"}\n\n", ""},
		{"an error event", format.Responses, 200, events, opening + "event: error\ndata: " +
			`{"type":"error","code":"context_length_exceeded","message":"no"}` + "\n\n", "openai"},
		{"a response that failed later", format.Responses, 200, events, opening +
			"data: {\"type\":\"response.output_item.added\"}\n\ndata: " + failedResponse + "\n\n",
			""},
		{"another failure", format.Responses, 200, events, opening +
			"data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":" +
			"\"server_error\"}}}\n\n", ""},
		{"LM Studio", format.Responses, 200, json, lmStudioError, "lmstudio"},
		{"OpenRouter", format.Responses, 400, json, `{"error":{"code":400,"message":"This ` +
			`endpoint's maximum context length is 9 tokens. However, you requested about 10 ` +
			`tokens."}}`, "openrouter"},
		{"chat, where these are no events", format.Chat, 200, events, opening + "data: " +
			failedResponse + "\n\n", ""},
	} {
		for _, cut := range []bool{false, true} {
			body := io.Reader(strings.NewReader(test.body))
			if cut {
				body = iotest.OneByteReader(body)
			}
			res := &http.Response{StatusCode: test.status, ContentLength: -1,
				Header: http.Header{"Content-Type": {test.media}}, Body: io.NopCloser(body)}
			p := NewPeek(res, test.format)
			got, refused := p.Wait(t.Context()), ""
			if got != nil {
				refused = got.Provider
			}
			if refused != test.refused {
				t.Errorf("%s, cut %t: a refusal of %q, want %q", test.name, cut, refused,
					test.refused)
			}
			if all, err := io.ReadAll(p); err != nil || string(all) != test.body {
				t.Errorf("%s: gives %q, %v", test.name, all, err)
			}
		}
	}
}
