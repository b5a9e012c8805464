package overflow

import (
	"strings"
	"testing"

	"killick/compaction"
)

// overflowCases are errors as providers send them, quoted from public bug
// reports and sources, and what each says.
var overflowCases = []struct {
	name   string
	status int
	body   string
	who    string
	want   compaction.Overflow
}{
	{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 173172 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"openai", compaction.Overflow{Window: 128000, Prompt: 173172}},
	{"OpenAI with functions", 400, `{"error":{"message":"This model's maximum context length is 4097 tokens. However, your messages resulted in 4238 tokens (4143 in the messages, 95 in the functions). Please reduce the length of the messages or functions.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"openai", compaction.Overflow{Window: 4097, Prompt: 4238}},
	{"OpenAI with functions and a completion", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion). Please reduce the length of the messages, functions, or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"openai", compaction.Overflow{Window: 8192, Prompt: 7413, Output: 800}},
	{"OpenAI, GPT-5", 400, `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"openai", compaction.Overflow{Input: 272000, Prompt: 289650}},
	{"OpenAI without numbers", 400, `{"type":"error","sequence_number":2,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again.","param":"input"}}`,
		"openai", compaction.Overflow{}},
	{"Azure", 400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 35969 tokens (9969 in the messages, 26000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"openai", compaction.Overflow{Window: 32768, Prompt: 9969, Output: 26000}},
	{"Azure, an older form", 400, `{"error":{"message":"This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.","type":"invalid_request_error","param":null,"code":null}}`,
		"openai", compaction.Overflow{Window: 8191, Prompt: 10341, Output: 5}},
	{"vLLM before 0.9", 400, `{"object":"error","message":"This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}`,
		"openai", compaction.Overflow{Window: 6048, Prompt: 568, Output: 6048}},
	{"vLLM, the completion named first", 400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 8192 output tokens and your prompt contains at least 24577 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=24577)","type":"BadRequestError","param":"input_tokens","code":400}}`,
		"vllm", compaction.Overflow{Window: 32768, Prompt: 24577, Output: 8192}},
	{"vLLM, the prompt too long before it is counted", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 64 output tokens and your prompt contains 99000 characters (more than 65024 characters, which is the upper bound for 8128 input tokens).","type":"BadRequestError","param":"input_text","code":400}}`,
		"vllm", compaction.Overflow{Window: 8192, Output: 64}},
	{"vLLM, max_tokens beyond what is left", 400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 3000 input tokens (2000 > 4096 - 3000). None","type":"BadRequestError","param":null,"code":400}}`,
		"vllm", compaction.Overflow{Window: 4096, Prompt: 3000, Output: 2000}},
	{"llama.cpp", 400, `{"error":{"code":400,"message":"request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":13392,"n_ctx":8192}}`,
		"llamacpp", compaction.Overflow{Window: 8192, Prompt: 13392}},
	{"llama.cpp, numbers in the fields alone", 500, `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`,
		"llamacpp", compaction.Overflow{Window: 256, Prompt: 1407}},
	{"llama-cpp-python", 400, `{"error":{"message":"Requested tokens (2285) exceed context window of 2048","type":"internal_server_error","param":null,"code":null}}`,
		"llamacpp", compaction.Overflow{Window: 2048, Prompt: 2285}},
	{"Ollama, its OpenAI endpoint", 400, `{"error":{"message":"prompt too long; exceeded max context length by 65590 tokens","type":"invalid_request_error","param":null,"code":null}}`,
		"ollama", compaction.Overflow{Over: 65590}},
	{"Ollama, its own endpoint", 400, `{"error":"prompt too long; exceeded max context length by 4 tokens"}`,
		"ollama", compaction.Overflow{Over: 4}},
	{"Ollama over llama.cpp, wrapped", 400, `{"error":"Engine protocol predict request returned 400: {\"error\":{\"code\":400,\"message\":\"request (8810 tokens) exceeds the available context size (8192 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":8810,\"n_ctx\":8192}}"}`,
		"llamacpp", compaction.Overflow{Window: 8192, Prompt: 8810}},
	{"LM Studio", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9021 >= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input"}`,
		"lmstudio", compaction.Overflow{Window: 4096, Prompt: 9021}},
	{"Mistral", 400, `{"object":"error","message":"Prompt contains 160907 tokens and 0 draft tokens, too large for model with 131072 maximum context length","type":"invalid_request_invalid_args","param":null,"code":"3051"}`,
		"mistral", compaction.Overflow{Window: 131072, Prompt: 160907}},
	{"Groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"groq", compaction.Overflow{}},
	{"Cerebras", 400, `{"message":"Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}`,
		"groq", compaction.Overflow{Window: 40000, Prompt: 42328}},
	{"Together", 400, `{"error":{"message":"The input (516368 tokens) is longer than the model's context length (262144 tokens).","type":"invalid_request_error","param":null,"code":null}}`,
		"together", compaction.Overflow{Window: 262144, Prompt: 516368}},
	{"Together over TGI", 422, "{\"error\":{\"message\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2019 `inputs` tokens and 30 `max_new_tokens`\",\"type\":\"invalid_request_error\"}}",
		"tgi", compaction.Overflow{Window: 2048, Prompt: 2019, Output: 30}},
	{"SGLang", 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 139000 tokens: 130000 tokens from the input messages and 9000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.","type":"BadRequestError","param":null,"code":400}`,
		"sglang", compaction.Overflow{Window: 131072, Prompt: 130000, Output: 9000}},
	{"DeepSeek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70214 tokens (62022 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
		"openai", compaction.Overflow{Window: 65536, Prompt: 62022, Output: 8192}},
	{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 139521 tokens (138021 of text input, 1500 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.","code":400,"metadata":{"provider_name":"Chutes"}}}`,
		"openrouter", compaction.Overflow{Window: 131072, Prompt: 138021, Output: 1500}},
	{"OpenRouter with tools", 400, `{"error":{"message":"This endpoint's maximum context length is 256000 tokens. However, you requested about 424983 tokens (358454 of text input, 56529 of tool input, 10000 in the output). Please reduce the length of either one.","code":400}}`,
		"openrouter", compaction.Overflow{Window: 256000, Prompt: 414983, Output: 10000}},
	{"OpenRouter, what its provider said", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"This model's maximum context length is 16000 tokens. However, you requested 17165 tokens (13069 in the messages, 4096 in the completion).\",\"type\":\"BadRequestError\"}}","provider_name":"DeepInfra"}}}`,
		"openai", compaction.Overflow{Window: 16000, Prompt: 13069, Output: 4096}},
	{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"},"request_id":"req_1"}`,
		"anthropic", compaction.Overflow{Window: 200000, Prompt: 213462}},
	{"Anthropic, with the completion", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again\"}}",
		"anthropic", compaction.Overflow{Window: 200000, Prompt: 178959, Output: 64000}},
	{"Anthropic through Bedrock", 400, `{"message":"Input is too long for requested model."}`,
		"anthropic", compaction.Overflow{}},
	{"Gemini, in a list", 400, `[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","errors":[{"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","domain":"global","reason":"badRequest"}],"status":"INVALID_ARGUMENT"}}]`,
		"gemini", compaction.Overflow{Input: 1048576, Prompt: 1200293}},
	{"Gemini without its own count", 400, `{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}`,
		"gemini", compaction.Overflow{Input: 1048576}},
	{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 149617 tokens."}`,
		"xai", compaction.Overflow{Input: 131072, Prompt: 149617}},
	{"Fireworks", 400, `{"error":{"object":"error","type":"invalid_request_error","code":"invalid_request_error","message":"The prompt is too long: 40177, model maximum context length: 32767"}}`,
		"fireworks", compaction.Overflow{Window: 32767, Prompt: 40177}},
	{"Moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)","type":"invalid_request_error"}}`,
		"moonshot", compaction.Overflow{Window: 262144, Prompt: 300000}},
	{"DashScope", 400, `{"error":{"code":"invalid_parameter_error","param":null,"message":"Range of input length should be [1, 129024]","type":"invalid_request_error"}}`,
		"dashscope", compaction.Overflow{Input: 129024}},
	{"LiteLLM, with a status of its own", 503, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: something unheard of","type":null,"param":null,"code":"503"}}`,
		"litellm", compaction.Overflow{}},
	// OpenAI Responses, as an error and as the first failure of a stream:
	// github.com/openai/codex/issues/4116.
	{"OpenAI Responses", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`,
		"openai", compaction.Overflow{}},
	{"OpenAI Responses, a failed stream", 400, `{"type":"response.failed","sequence_number":3,"response":{"id":"resp_1","object":"response","status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again."},"metadata":{"message":"rate limit"}}}`,
		"openai", compaction.Overflow{}},
	// OpenRouter's Responses have a number for a code: github.com/kortix-ai/suna/issues/6368.
	{"OpenRouter, Responses", 400, `{"error":{"code":400,"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 139521 tokens (138021 of text input, 1500 in the output). Please reduce the length of either one."},"metadata":null}`,
		"openrouter", compaction.Overflow{Window: 131072, Prompt: 138021, Output: 1500}},
	{"no JSON", 400, "prompt is too long: 600,446 tokens > 200,000 maximum",
		"anthropic", compaction.Overflow{Window: 200000, Prompt: 600446}},
	{"under detail", 400, `{"detail":[{"msg":"The input (9 tokens) is longer than the model's context length (8 tokens)."}]}`,
		"together", compaction.Overflow{Window: 8, Prompt: 9}},
}

func TestOverflowIsRecognised(t *testing.T) {
	for _, test := range overflowCases {
		t.Run(test.name, func(t *testing.T) {
			o := Read(test.status, []byte(test.body))
			if o == nil {
				t.Fatal("not recognised")
			}
			if got := o.Overflow; got != test.want || o.Provider != test.who {
				t.Errorf("got %+v in the words of %s, want %+v of %s", got, o.Provider, test.want, test.who)
			}
		})
	}
}

// What is not about the length of this request is not taken for it, however much
// it sounds like it.
func TestOtherErrorsAreNoOverflow(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
	}{
		"a rate limit":                        {429, `{"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 9000.","type":"tokens","code":"rate_limit_exceeded"}}`},
		"a rate limit that speaks of length":  {429, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."}}`},
		"Groq's 413 for tokens a minute":      {413, "{\"error\":{\"message\":\"Request too large for model `openai/gpt-oss-120b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 11881, please reduce your message size and try again.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}"},
		"Bedrock's throttling":                {400, `{"message":"Throttling error: Too many tokens, please wait before trying again."}`},
		"a quota":                             {400, `{"error":{"message":"You exceeded your current quota: the request exceeds the available context size.","code":"insufficient_quota"}}`},
		"max_tokens over what a model writes": {400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`},
		"Anthropic's max_tokens":              {400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude"}}`},
		"DeepSeek's max_tokens":               {400, `{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error","code":"invalid_request_error"}}`},
		"a string too long for its field":     {400, `{"error":{"message":"Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2097152 instead.","type":"invalid_request_error","param":"messages[0].content","code":"string_above_max_length"}}`},
		"too many messages":                   {400, `{"error":{"message":"Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.","code":"array_above_max_length"}}`},
		"bytes":                               {413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes"}}`},
		"a web server's 413":                  {413, "<html><head><title>413 Request Entity Too Large</title></head></html>"},
		"no such model":                       {404, `{"error":{"message":"The model 'context_length_exceeded' does not exist","code":"model_not_found"}}`},
		"a wrong key":                         {401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`},
		"a server's fault":                    {500, `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error"}}`},
		"another 400":                         {400, `{"error":{"message":"Invalid value: 'tool'. Supported values are: 'system', 'assistant', 'user'.","type":"invalid_request_error","param":"messages[1].role","code":"invalid_value"}}`},
		"a prompt that is quoted back":        {422, `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{"messages":[{"role":"user","content":"This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens. context_length_exceeded"}]}}]}`},
		"a good answer":                       {200, `{"error":{"code":"context_length_exceeded"}}`},
		"nothing":                             {400, ``},
		"a failed response that was too slow": {400, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model took too long."},"metadata":{"message":"prompt is too long: 9 tokens > 8 maximum"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if o := Read(test.status, []byte(test.body)); o != nil {
				t.Errorf("taken for an overflow in the words of %s: %+v", o.Provider, o.Overflow)
			}
		})
	}
}

func TestErrorsInsideGoodRepliesAreRecognised(t *testing.T) {
	for data, want := range map[string]bool{
		`{"error":{"message":"no"}}`: true,
		`{"error":"no"}`:             true,
		`{"type":"error","error":{"type":"overloaded_error"}}`:            true, // Anthropic
		`{"type":"error","code":"context_length_exceeded","message":"x"}`: true, // OpenAI Responses
		`{"type":"response.failed","response":{"status":"failed"}}`:       true,
		`{"object":"error","message":"no"}`:                               true,
		`{"type":"response.created","response":{"error":null}}`:           false,
		`{"type":"message_start","message":{}}`:                           false,
		`{"object":"chat.completion.chunk","choices":[]}`:                 false,
		`{"error":null,"choices":[]}`:                                     false,
		`[DONE]`:                                                          false,
		``:                                                                false,
	} {
		if got := IsError([]byte(data)); got != want {
			t.Errorf("%s: an error: %t, want %t", data, got, want)
		}
	}
}

// An error's text is the upstream's to choose, and so is its length.
func FuzzOverflow(f *testing.F) {
	for _, test := range overflowCases {
		f.Add(test.status, []byte(test.body))
	}
	f.Add(400, []byte(strings.Repeat(`{"error":`, 5000)))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		o := Read(status, body)
		if o == nil {
			return
		}
		s := o.Overflow
		for _, n := range []int{s.Window, s.Input, s.Prompt, s.Output, s.Over} {
			if n < 0 || n > maxTokens {
				t.Errorf("a number out of bounds: %+v", s)
			}
		}
	})
}
