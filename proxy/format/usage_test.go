package format

import (
	"testing"

	"killick/chat"
)

func TestUsageOfReplies(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		data   []string // bodies or events, in their order
		want   chat.Usage
		none   bool
	}{
		{"chat", Chat, []string{`{"usage":{"prompt_tokens":7,"completion_tokens":2,` +
			`"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":1}}}`},
			chat.Usage{PromptTokens: 7, CompletionTokens: 2, CachedTokens: 5, WrittenTokens: 1},
			false},
		{"more tokens than there can be", Chat, []string{
			`{"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":2}}`},
			chat.Usage{}, true},
		{"more output than there can be", Ollama, []string{
			`{"prompt_eval_count":7,"eval_count":2}`,
			`{"prompt_eval_count":7,"eval_count":9223372036854775807}`},
			chat.Usage{PromptTokens: 7, CompletionTokens: 2}, false},
		{"sums beyond all integers", Messages, []string{`{"usage":{"input_tokens":10,` +
			`"cache_read_input_tokens":9223372036854775807,` +
			`"cache_creation_input_tokens":9223372036854775807,"output_tokens":4}}`},
			chat.Usage{PromptTokens: 10, CompletionTokens: 4}, false},
		{"a message", Messages, []string{`{"type":"message","usage":{"input_tokens":10,` +
			`"cache_read_input_tokens":200,"cache_creation_input_tokens":30,"output_tokens":4}}`},
			chat.Usage{PromptTokens: 240, CachedTokens: 200, WrittenTokens: 30,
				CompletionTokens: 4}, false},
		{"without a cache", Messages, []string{`{"usage":{"input_tokens":10,` +
			`"cache_read_input_tokens":null,"output_tokens":4}}`},
			chat.Usage{PromptTokens: 10, CompletionTokens: 4}, false},
		{"a stream of a message", Messages, []string{
			`{"type":"message_start","message":{"usage":{"input_tokens":10,` +
				`"cache_read_input_tokens":200,"cache_creation_input_tokens":30,` +
				`"output_tokens":1}}}`,
			`{"type":"message_delta","delta":{"stop_reason":"x"},"usage":{"output_tokens":9}}`,
			`{"type":"message_delta","delta":{},"usage":{"output_tokens":12}}`},
			chat.Usage{PromptTokens: 240, CachedTokens: 200, WrittenTokens: 30,
				CompletionTokens: 12}, false},
		{"a stream that corrects its input", Messages, []string{
			`{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1}}}`,
			`{"type":"message_delta","usage":{"input_tokens":12,"cache_read_input_tokens":3,` +
				`"output_tokens":9}}`},
			chat.Usage{PromptTokens: 15, CachedTokens: 3, CompletionTokens: 9}, false},
		{"a response", Responses, []string{`{"object":"response","usage":{"input_tokens":36,` +
			`"input_tokens_details":{"cached_tokens":6,"cache_write_tokens":20},` +
			`"output_tokens":87}}`}, chat.Usage{PromptTokens: 36, CachedTokens: 6,
			WrittenTokens: 20, CompletionTokens: 87}, false},
		{"completed", Responses, []string{
			`{"type":"response.created","response":{"usage":null}}`,
			`{"type":"response.completed","response":{"usage":{"input_tokens":5,` +
				`"output_tokens":1}}}`},
			chat.Usage{PromptTokens: 5, CompletionTokens: 1}, false},
		{"incomplete", Responses, []string{
			`{"type":"response.incomplete","response":{"usage":{"input_tokens":6}}}`},
			chat.Usage{PromptTokens: 6}, false},
		{"failed", Responses, []string{
			`{"type":"response.failed","response":{"usage":{"input_tokens":7}}}`},
			chat.Usage{PromptTokens: 7}, false},
		{"failed without", Responses, []string{
			`{"type":"response.failed","response":{"error":{},"usage":null}}`}, chat.Usage{}, true},
		{"of Converse", Converse, []string{`{"output":{},"usage":{"inputTokens":10,` +
			`"outputTokens":4,"totalTokens":244,"cacheReadInputTokens":200,` +
			`"cacheWriteInputTokens":30}}`}, chat.Usage{PromptTokens: 240, CachedTokens: 200,
			WrittenTokens: 30, CompletionTokens: 4}, false},
		{"a stream of Converse", Converse, []string{`{"messageStop":{}}`,
			`{"metrics":{},"usage":{"inputTokens":10,"outputTokens":4}}`},
			chat.Usage{PromptTokens: 10, CompletionTokens: 4}, false},
		{"a text that speaks of usage", Messages, []string{
			`{"type":"content_block_delta","delta":{"text":"\"usage\":{\"input_tokens\":9}"}}`},
			chat.Usage{}, true},
		{"no JSON", Messages, []string{`[DONE]`, ``, `{"usage":`}, chat.Usage{}, true},
	} {
		read, got, found := NewUsage(test.format), chat.Usage{}, false
		for _, data := range test.data {
			if u, ok := read([]byte(" " + data)); ok {
				got, found = u, true
			}
		}
		if got != test.want || found == test.none {
			t.Errorf("%s: %+v, %t; want %+v", test.name, got, found, test.want)
		}
	}
	if NewUsage(Other) != nil {
		t.Error("a usage of no format is read")
	}
}

func TestInconclusiveEvents(t *testing.T) {
	for _, test := range []struct {
		format Format
		data   string
		want   bool
	}{
		{Responses, `{"type":"response.created","response":{}}`, true},
		{Responses, `{"sequence_number":1,"type":"response.in_progress"}`, true},
		{Responses, `{"type":"response.queued"}`, true},
		{Responses, `{"type":"response.failed"}`, false},
		{Responses, `{"type":"response.output_item.added"}`, false},
		{Chat, `{"type":"response.created"}`, false},
		{Messages, `{"type": "ping"}`, true},
		{Messages, `{"type":"message_start"}`, false},
		{Messages, `{"type":"error"}`, false},
	} {
		if got := Inconclusive(test.format, []byte(test.data)); got != test.want {
			t.Errorf("%s %s: %t", test.format, test.data, got)
		}
	}
}

func TestWindowFull(t *testing.T) {
	for _, test := range []struct {
		format Format
		data   string
		want   bool
	}{
		{Messages, `{"type":"message","stop_reason":"model_context_window_exceeded"}`, true},
		{Messages, `{"type":"message_delta","delta":{"stop_reason":` +
			`"model_context_window_exceeded"},"usage":{}}`, true},
		{Messages, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, false},
		{Converse, `{"stopReason":"model_context_window_exceeded"}`, true},
		{Converse, `{"stopReason":"end_turn"}`, false},
		{Chat, `{"stopReason":"model_context_window_exceeded"}`, false},
		{Messages, `{"type":"content_block_delta","delta":{"text":` +
			`"model_context_window_exceeded"}}`, false},
		{Chat, `{"stop_reason":"model_context_window_exceeded"}`, false},
	} {
		if got := WindowFull(test.format, []byte(test.data)); got != test.want {
			t.Errorf("%s %s: %t", test.format, test.data, got)
		}
	}
}
