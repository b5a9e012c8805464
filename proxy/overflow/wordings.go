package overflow

import (
	"regexp"
	"strconv"
	"strings"
)

// wording is one message with which an upstream reports that a request is too long for
// its model. The name of a group is the meaning of its number:
//
//	window  the limit of the model, prompt and completion together
//	input   the limit of the prompt
//	prompt  the size of the prompt
//	output  the requested completion
//	total   prompt and completion together
//	over    the excess of the prompt
type wording struct {
	name string // the source: a fixed word, for the log
	text *regexp.Regexp
}

// wordings are tried in order, the more specific before the less. They are quoted from the
// providers' own errors, as public bug reports and sources show them; each row says where.
var wordings = []wording{
	// vLLM, renderers/params.py since 0.15: github.com/vllm-project/vllm/pull/36197.
	row("vllm", "maximum context length is {window} tokens.{0,3} however, you requested "+
		"{output} output tokens and your prompt contains (?:at least )?{prompt} input tokens"),
	// counted in characters
	row("vllm", "maximum context length is {window} tokens.{0,3} however, you requested "+
		"{output} output tokens and your prompt contains"),
	// vLLM 0.9 to 0.14, where max_tokens is what makes it too long:
	// entrypoints/openai/serving_engine.py.
	row("vllm",
		`max_tokens' or 'max_completion_tokens' is too large: {output}\. this model's `+
			`maximum context length is {window} tokens and your request has {prompt} input tokens`),
	row("vllm", "maximum context length is {window} tokens, but the prompt contains {prompt} "+
		"input tokens"),
	// OpenRouter ("about", "of text input", "in the output"):
	// github.com/Aider-AI/aider/issues/3721.
	row("openrouter",
		`endpoint's maximum context length is {window} tokens.{0,3} however, you requested `+
			`about {total} tokens(?:.*?{output} in the output\))?`),
	// OpenAI and Azure with a completion asked for, functions or not, and the
	// older completions; vLLM before 0.9 and DeepSeek in the same words:
	// github.com/Azure/azure-sdk-for-net/issues/41892,
	// github.com/FoundationAgents/OpenManus/issues/79,
	// github.com/OpenRouterTeam/openrouter-examples/issues/10.
	row("openai",
		`maximum context length is {window} tokens.{0,3} however,? you requested {total} `+
			`?tokens(?:.{0,80}?{output} (?:in|for) the completion\))?`),
	// OpenAI and Azure: github.com/jina-ai/langchain-serve,
	// github.com/assafelovic/gpt-researcher/issues/680.
	row("openai",
		`maximum context length is {window} tokens.{0,3} however,? your messages resulted in `+
			`{prompt} tokens`),
	// OpenAI, GPT-5: github.com/cline/cline/issues/5474.
	row("openai", "input tokens exceed the configured limit of {input} tokens.{0,3} your "+
		"messages resulted in {prompt} tokens"),
	// OpenAI without numbers: github.com/anomalyco/opencode/issues/6071.
	row("openai", "your input exceeds the context window of this model"),
	// SGLang, tokenizer_manager.py; Together in the same words.
	row("sglang",
		`requested token count exceeds the model's maximum context length of {window} `+
			`tokens(?:.{0,3} you requested a total of {total} tokens: {prompt} tokens from the `+
			`input messages and {output} tokens for the completion)?`),
	row("together",
		`the input \({prompt} tokens\) is longer than the model's context length \({window} `+
			`tokens\)`),
	row("sglang",
		`input length \({prompt}(?: tokens)?\) exceeds (?:the )?model's maximum context `+
			`length \({window}(?: tokens)?\)`),
	// Text Generation Inference, behind Together and Hugging Face:
	// github.com/stanford-crfm/helm/pull/2079.
	row("tgi", "`inputs` tokens \\+ `max_new_tokens` must be <= {window}\\. given: {prompt} "+
		"`inputs` tokens and {output} `max_new_tokens`"),
	row("tgi", "`inputs` must have less than {input} tokens\\. given: {prompt}"),
	// llama.cpp, tools/server: github.com/ggml-org/llama.cpp/pull/15780 and, with the numbers in
	// the sentence, later. Ollama forwards it.
	row("llamacpp",
		`request \({prompt} tokens\) exceeds the available context size \({window} tokens\)`),
	row("llamacpp", `request exceeds the available context size`),
	// llama-cpp-python
	row("llamacpp", `requested tokens \({prompt}\) exceed context window of {window}`),
	// Ollama: its own engine, server/routes.go and runner.
	row("ollama", `prompt too long; exceeded (?:max )?context length(?: by {over} tokens)?`),
	row("ollama", `input length exceeds (?:the )?(?:maximum )?context length`),
	// LM Studio.
	row("lmstudio",
		`initial prompt is greater than the context length(?:.{0,60}?n_keep: ?{prompt} ?>= `+
			`?n_ctx: ?{window})?`),
	// Mistral, code 3051, with and without draft tokens.
	row("mistral",
		`prompt contains {prompt} tokens(?: and [0-9]+ draft tokens)?,? too large for model `+
			`with {window} maximum context length`),
	// Anthropic and its compatible endpoints: github.com/docker/docker-agent/issues/569.
	row("anthropic",
		`input length and .?max_tokens.? exceed context limit: {prompt} \+ {output} > {window}`),
	row("anthropic", `prompt is too long: {prompt} tokens > {window} maximum`),
	// Through Bedrock: strands-agents, models/bedrock.py.
	row("anthropic", `input is too long for (?:the )?requested model`),
	row("bedrock", `too many total text bytes`),
	// Fireworks: github.com/fw-ai/cookbook/issues/134.
	row("fireworks", `prompt is too long: {prompt}, model maximum context length: {window}`),
	// Anthropic without numbers: strands-agents, models/anthropic.py.
	row("anthropic", `input and output tokens exceed your context limit`),
	row("anthropic", `input length exceeds context window`),
	row("anthropic", `prompt is too long:`),
	// Gemini: github.com/google-gemini/gemini-cli/issues/6678; without the first
	// number in newer models.
	row("gemini",
		`input token count(?: \({prompt}\))? exceeds the maximum number of tokens allowed `+
			`\(?{input}`),
	// xAI.
	row("xai", `maximum prompt length is {input} but the request contains {prompt} tokens`),
	// Groq: github.com/OpenHands/OpenHands/issues/1902; Cerebras adds the numbers:
	// github.com/cline/cline/issues/5140.
	row("groq",
		`please reduce the length of the messages or completion\.?(?: current length is `+
			`{total} while limit is {window})?`),
	// Moonshot, DashScope, GitHub Copilot.
	row("moonshot", `exceeded model token limit: ?{window} \(requested: ?{total}\)`),
	row("dashscope", `range of input length should be \[[0-9]+, ?{input}\]`),
	row("copilot", `prompt token count of {prompt} exceeds the limit of {input}`),
}

// codes are the codes and types that mean the same regardless of the message, with their providers.
// Gateways quote them in their messages.
var codes = []struct{ code, name string }{
	{"context_length_exceeded", "openai"}, // Azure and Groq too
	{"model_context_window_exceeded", "zai"},
	{"context_window_exceeded", "other"},
	{"exceed_context_size_error", "llamacpp"},
	{"contextwindowexceedederror", "litellm"},
	{"3051", "mistral"},
}

// numberFields are members of llama.cpp's error object that state the numbers.
var numberFields = map[string]string{"n_ctx": "window", "n_prompt_tokens": "prompt"}

// otherLimit matches errors about rate limits, not about one request.
// Some of them use the words of the rows above: Groq answers 413 with "Request
// too large for model … on tokens per minute", Bedrock throttles with "Too many
// tokens".
var otherLimit = regexp.MustCompile(`(?i)rate[ _-]?limit|tokens per (?:min|hour|day)|` +
	`requests per|too many requests|throttl|quota|billing`)

// row makes a row from a wording: {name} stands for a number.
func row(name, text string) wording {
	const number = `(?P<${1}>[0-9][0-9,_]{0,13})`
	text = regexp.MustCompile(`\{([a-z]+)\}`).ReplaceAllString(text, number)
	return wording{name: name, text: regexp.MustCompile(`(?is)` + text)}
}

// maxText bounds how many bytes of one text are read.
const maxText = 8 << 10

// match returns what a text says of a request that is too long, nil if
// nothing.
func match(text string) *numbers {
	text = text[:min(len(text), maxText)]
	for i := range wordings {
		r := &wordings[i]
		found := r.text.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		n := &numbers{provider: r.name}
		for k, group := range r.text.SubexpNames() {
			if group != "" && found[k] != "" {
				n.set(group, parseTokens(found[k]))
			}
		}
		return n
	}
	return nil
}

// maxTokens is the largest plausible number: no model takes more.
const maxTokens = 1 << 30

// parseTokens parses a number as written in errors, 0 if it cannot be a number of tokens.
func parseTokens(s string) int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(s))
	if err != nil || n < 0 || n > maxTokens {
		return 0
	}
	return n
}
