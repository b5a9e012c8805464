package main

import (
	"fmt"

	"killick/internal/convert"
)

// api is a wire format: how its clients send what is a chat request here, and how it is answered.
type api struct {
	name  string
	path  string
	spell func(chat string) (string, error)
	good  string // is in every good answer
	reply string // with a place for the tokens of the request
}

var chatAPI = &api{
	name: "chat", path: "/v1/chat/completions", good: `"choices"`,
	spell: func(chat string) (string, error) { return chat, nil },
	reply: `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,` +
		`"model":"scripted","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"` + shortAnswer + `","refusal":null},` +
		`"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,` +
		`"completion_tokens":16,"total_tokens":%[1]d}}`,
}

const shortAnswer = "A short answer to what was asked, of the length that agents mostly see."

// apis are all of them.
var apis = []*api{
	chatAPI,
	{
		name: "messages", path: "/v1/messages", good: `"stop_reason"`,
		spell: func(chat string) (string, error) {
			body, err := convert.Messages([]byte(chat))
			return string(body), err
		},
		reply: `{"id":"msg_1","type":"message","role":"assistant","model":"scripted","content":[` +
			`{"type":"text","text":"` + shortAnswer + `"}],"stop_reason":"end_turn",` +
			`"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,` +
			`"cache_read_input_tokens":0,"output_tokens":16}}`,
	},
	{
		name: "responses", path: "/v1/responses", good: `"output"`,
		spell: func(chat string) (string, error) {
			return string(convert.Responses([]byte(chat))), nil
		},
		reply: `{"id":"resp_1","object":"response","created_at":1700000000,"status":"completed",` +
			`"model":"scripted","output":[{"type":"message","id":"msg_1","status":"completed",` +
			`"role":"assistant","content":[{"type":"output_text","text":"` + shortAnswer + `",` +
			`"annotations":[]}]}],"usage":{"input_tokens":%d,"input_tokens_details":` +
			`{"cached_tokens":0},"output_tokens":16,"total_tokens":%[1]d}}`,
	},
	{
		name: "gemini", path: "/v1beta/models/gpt-4.1:generateContent", good: `"candidates"`,
		spell: func(chat string) (string, error) {
			body, err := convert.Gemini([]byte(chat))
			return string(body), err
		},
		reply: `{"candidates":[{"content":{"role":"model","parts":[{"text":"` + shortAnswer +
			`"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":%d,` +
			`"candidatesTokenCount":16,"totalTokenCount":%[1]d},"modelVersion":"scripted"}`,
	},
	{
		name: "converse", path: "/model/gpt-4.1/converse", good: `"stopReason"`,
		spell: func(chat string) (string, error) {
			body, err := convert.Converse([]byte(chat))
			return string(body), err
		},
		reply: `{"metrics":{"latencyMs":1},"output":{"message":{"role":"assistant","content":[` +
			`{"text":"` + shortAnswer + `"}]}},"stopReason":"end_turn","usage":{"inputTokens":%d,` +
			`"outputTokens":16,"totalTokens":%[1]d}}`,
	},
	{
		name: "ollama", path: "/api/chat", good: `"done_reason"`,
		spell: func(chat string) (string, error) {
			return string(convert.Ollama([]byte(chat))), nil
		},
		reply: `{"model":"scripted","created_at":"2026-11-27T09:00:00Z","message":{"role":` +
			`"assistant","content":"` + shortAnswer + `"},"done":true,"done_reason":"stop",` +
			`"total_duration":9,"load_duration":1,"prompt_eval_count":%d,` +
			`"prompt_eval_duration":2,"eval_count":16,"eval_duration":3}`,
	},
}

// answer is what the upstream answers at a path to a request of this many bytes.
func answer(path string, bytes int64) string {
	for _, a := range apis {
		if a.path == path {
			return fmt.Sprintf(a.reply, bytes/6)
		}
	}
	return fmt.Sprintf(chatAPI.reply, bytes/6)
}
