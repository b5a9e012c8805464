package chat

import "killick/rawjson"

// Usage is the token usage that the upstream reports for a request.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int // prompt tokens read from the provider's prompt cache
	WrittenTokens    int // prompt tokens written to it; 0 where the upstream does not say
}

// ParseUsage reads the usage member of a completion's body or of the data of one streamed chunk. ok
// is false if there is none, as in all chunks of a stream except the last.
func ParseUsage(data []byte) (u Usage, ok bool) {
	i := rawjson.Space(data, 0)
	usage := rawjson.Value(data[i:]).Get("usage")
	if usage.Kind() != rawjson.Object {
		return Usage{}, false
	}
	u.PromptTokens, ok = usage.Get("prompt_tokens").Int()
	u.CompletionTokens, _ = usage.Get("completion_tokens").Int()
	details := usage.Get("prompt_tokens_details")
	u.CachedTokens, _ = details.Get("cached_tokens").Int()
	u.WrittenTokens, _ = details.Get("cache_write_tokens").Int()
	return u, ok
}
