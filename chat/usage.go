package chat

// Usage is what the upstream says that a request cost, in tokens.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int // those of the prompt that the provider's prompt cache held
}

// ParseUsage reads the usage member of a completion's body or of the data of
// one streamed chunk. ok is false when there is none, as in every chunk of a
// stream but the last.
func ParseUsage(data []byte) (u Usage, ok bool) {
	i := space(data, 0)
	usage := Value(data[i:]).Get("usage")
	if usage.Kind() != Object {
		return Usage{}, false
	}
	u.PromptTokens, ok = usage.Get("prompt_tokens").Int()
	u.CompletionTokens, _ = usage.Get("completion_tokens").Int()
	u.CachedTokens, _ = usage.Get("prompt_tokens_details").Get("cached_tokens").Int()
	return u, ok
}
