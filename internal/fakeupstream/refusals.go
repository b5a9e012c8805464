package fakeupstream

import (
	"fmt"
	"net/http"
)

// TooLong is a request that does not fit a model's window, in tokens.
type TooLong struct {
	Window int // what the model takes
	Prompt int // what the prompt came to
	Output int // what was asked for as completion, 0 if nothing was said
}

// Refusal is how a provider refuses a request that is too long.
type Refusal struct {
	// CountsOutput refuses also what is too long together with the completion that
	// it asks for.
	CountsOutput bool
	// InStream answers a request for a stream with 200 and says it in the first
	// event.
	InStream bool
	// Status and Body are the answer. If Body is nil, OpenAI's.
	Status int
	Body   func(TooLong) string
}

// The refusals of some providers, each with numbers of its own.
var (
	AzureRefusal = Refusal{CountsOutput: true, Status: http.StatusBadRequest,
		Body: func(t TooLong) string {
			return fmt.Sprintf(`{"error":{"message":"This model's maximum context length is %d `+
				`tokens. However, you requested %d tokens (%d in the messages, %d in the `+
				`completion). `+
				`Please reduce the length of the messages or `+
				`completion.","type":"invalid_request_error","param":"messages",`+
				`"code":"context_length_exceeded"}}`, t.Window, t.Prompt+t.Output,
				t.Prompt, t.Output)
		}}
	VLLMRefusal = Refusal{CountsOutput: true, Status: http.StatusBadRequest,
		Body: func(t TooLong) string {
			return fmt.Sprintf(`{"error":{"message":"This model's maximum context length is %d `+
				`tokens. However, you requested %d output tokens and your prompt contains at `+
				`least %d input tokens, for a total of at least %d tokens. Please reduce the `+
				`length of the input prompt or the number of requested output `+
				`tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`,
				t.Window, t.Output, t.Window-t.Output+1, t.Window+1)
		}}
	LlamaRefusal = Refusal{Status: http.StatusBadRequest, Body: func(t TooLong) string {
		return fmt.Sprintf(`{"error":{"code":400,"message":"the request exceeds the available `+
			`context size, try increasing `+
			`it","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`,
			t.Prompt, t.Window)
	}}
	OllamaRefusal = Refusal{Status: http.StatusBadRequest, Body: func(t TooLong) string {
		return fmt.Sprintf(`{"error":{"message":"prompt too long; exceeded max context length by `+
			`%d `+
			`tokens","type":"invalid_request_error","param":null,"code":null}}`, t.Prompt-t.Window)
	}}
	MistralRefusal = Refusal{Status: http.StatusBadRequest, Body: func(t TooLong) string {
		return fmt.Sprintf(`{"object":"error","message":"Prompt contains %d tokens and 0 draft `+
			`tokens, too large for model with %d maximum context `+
			`length","type":"invalid_request_invalid_args","param":null,"code":"3051"}`,
			t.Prompt, t.Window)
	}}
	GroqRefusal = Refusal{Status: http.StatusBadRequest, Body: func(TooLong) string {
		return `{"error":{"message":"Please reduce the length of the messages or ` +
			`completion.","type":"invalid_request_error","param":"messages",` +
			`"code":"context_length_exceeded"}}`
	}}
	AnthropicRefusal = Refusal{Status: http.StatusBadRequest, Body: func(t TooLong) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error",`+
			`"message":"prompt is too long: %d tokens > %d maximum"}}`, t.Prompt, t.Window)
	}}
	GeminiRefusal = Refusal{Status: http.StatusBadRequest, Body: func(t TooLong) string {
		return fmt.Sprintf(`[{"error":{"code":400,"message":"The input token count (%d) exceeds `+
			`the maximum number of tokens allowed `+
			`(%d).","status":"INVALID_ARGUMENT"}}]`, t.Prompt, t.Window)
	}}
)
