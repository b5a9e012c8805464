package format

import (
	"killick/chat"
	"killick/rawjson"
)

// Usage reads the token usage that replies of a format report.
type Usage func(data []byte) (u chat.Usage, ok bool)

// NewUsage returns a reader of one reply's usage: from its body, or from the data of its events in
// order, where each returned usage replaces the previous ones. It is nil for unknown formats.
func NewUsage(f Format) Usage {
	switch f {
	case Chat:
		return chat.ParseUsage
	case Messages:
		return new(messagesUsage).read
	case Responses:
		return responsesUsage
	case Gemini:
		return geminiUsage
	case Converse:
		return converseUsage
	case Ollama:
		return new(ollamaUsage).read
	}
	return nil
}

// messagesUsage collects the usage of a stream: message_start has the input,
// each message_delta the output so far and, of newer models, the input again.
type messagesUsage struct{ input, cached, created, output int }

func (m *messagesUsage) read(data []byte) (chat.Usage, bool) {
	v := object(data)
	usage := v.Get("usage")
	if usage.Kind() != rawjson.Object {
		if usage = v.Get("message").Get("usage"); usage.Kind() != rawjson.Object {
			return chat.Usage{}, false
		}
	}
	for name, field := range map[string]*int{
		"input_tokens": &m.input, "cache_read_input_tokens": &m.cached,
		"cache_creation_input_tokens": &m.created, "output_tokens": &m.output,
	} {
		if n, ok := chat.Tokens(usage.Get(name)); ok {
			*field = n
		}
	}
	return chat.Usage{
		PromptTokens:     m.input + m.cached + m.created,
		CachedTokens:     m.cached,
		WrittenTokens:    m.created,
		CompletionTokens: m.output,
	}, true
}

// responsesUsage reads a response, or the event that ends its stream and holds it.
func responsesUsage(data []byte) (u chat.Usage, ok bool) {
	v := object(data)
	if response := v.Get("response"); response.Kind() == rawjson.Object {
		v = response
	}
	usage := v.Get("usage")
	if usage.Kind() != rawjson.Object {
		return chat.Usage{}, false // null until the end
	}
	u.PromptTokens, ok = chat.Tokens(usage.Get("input_tokens"))
	u.CompletionTokens, _ = chat.Tokens(usage.Get("output_tokens"))
	details := usage.Get("input_tokens_details")
	u.CachedTokens, _ = chat.Tokens(details.Get("cached_tokens"))
	u.WrittenTokens, _ = chat.Tokens(details.Get("cache_write_tokens"))
	return u, ok
}

// geminiUsage reads an answer, or one piece of a stream: each has the usage so far. Code Assist has
// the answer in a member. Source: https://ai.google.dev/api/generate-content#UsageMetadata.
func geminiUsage(data []byte) (u chat.Usage, ok bool) {
	v := object(data)
	if response := v.Get(Within(Gemini)); response.Kind() == rawjson.Object {
		v = response
	}
	usage := v.Get("usageMetadata")
	u.PromptTokens, ok = chat.Tokens(usage.Get("promptTokenCount"))
	u.CachedTokens, _ = chat.Tokens(usage.Get("cachedContentTokenCount"))
	for _, name := range []string{"candidatesTokenCount", "thoughtsTokenCount"} {
		n, _ := chat.Tokens(usage.Get(name))
		u.CompletionTokens += n
	}
	return u, ok
}

// Within returns the member of a reply in which some APIs of a format have the answer, "" for none.
func Within(f Format) string {
	if f == Gemini {
		return "response" // Code Assist
	}
	return ""
}

// converseUsage reads an answer, or the event metadata of a stream. The input leaves out what was
// read from the cache and written to it. Source: "TokenUsage" of Bedrock's API reference.
func converseUsage(data []byte) (u chat.Usage, ok bool) {
	usage := object(data).Get("usage")
	u.PromptTokens, ok = chat.Tokens(usage.Get("inputTokens"))
	u.CachedTokens, _ = chat.Tokens(usage.Get("cacheReadInputTokens"))
	u.WrittenTokens, _ = chat.Tokens(usage.Get("cacheWriteInputTokens"))
	u.PromptTokens += u.CachedTokens + u.WrittenTokens
	u.CompletionTokens, _ = chat.Tokens(usage.Get("outputTokens"))
	return u, ok
}

// ollamaUsage collects the counts of an answer, or of the line that ends a stream, which are
// members of their own.
type ollamaUsage struct{ prompt, output int }

func (o *ollamaUsage) read(data []byte) (u chat.Usage, ok bool) {
	v := object(data)
	for name, field := range map[string]*int{
		"prompt_eval_count": &o.prompt, "eval_count": &o.output,
	} {
		if n, ok := chat.Tokens(v.Get(name)); ok {
			*field = n
		}
	}
	return chat.Usage{PromptTokens: o.prompt, CompletionTokens: o.output},
		o.prompt > 0 && o.output > 0
}

// object returns data without the white space before it.
func object(data []byte) rawjson.Value {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\t' || data[0] == '\r' || data[0] == '\n') {
		data = data[1:]
	}
	return rawjson.Value(data)
}

// Inconclusive reports whether an event of a stream does not show yet how the request went: the
// upstream may still reject it in the next one.
func Inconclusive(f Format, data []byte) bool {
	kind := object(data).Get("type")
	switch f {
	case Messages:
		return kind.Is("ping")
	case Responses:
		return kind.Is("response.created") || kind.Is("response.queued") ||
			kind.Is("response.in_progress")
	}
	return false
}

// stopFull is the stop reason with which Anthropic, and others for it, report that the model's
// window was full. Newer models answer so where older ones reject the request: platform.claude.com,
// "Handling stop reasons".
const stopFull = "model_context_window_exceeded"

// WindowFull reports whether an answer, according to a message or an event of its stream, stopped
// because the model's window was full.
func WindowFull(f Format, data []byte) bool {
	v := object(data)
	switch f {
	case Converse:
		return v.Get("stopReason").Is(stopFull)
	case Messages:
		return v.Get("stop_reason").Is(stopFull) || v.Get("delta").Get("stop_reason").Is(stopFull)
	}
	return false
}
