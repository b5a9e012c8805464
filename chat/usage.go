package chat

import "killick/rawjson"

// Usage is the token usage that the upstream reports for a request.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int // prompt tokens read from the provider's prompt cache
	WrittenTokens    int // prompt tokens written to it; 0 where the upstream does not say
}

// maxTokens is more than any model's window, and than any body has bytes by default.
const maxTokens = 100_000_000

// Tokens reads a number of tokens that an upstream reports. ok is false for one that cannot be: it
// would spoil sums for good.
func Tokens(v rawjson.Value) (n int, ok bool) {
	if n, ok = v.Int(); n > maxTokens {
		return 0, false
	}
	return n, ok
}

// ParseUsage reads the usage member of a completion's body or of the data of one streamed chunk. ok
// is false if there is none, as in all chunks of a stream except the last.
func ParseUsage(data []byte) (u Usage, ok bool) {
	i := rawjson.Space(data, 0)
	usage := rawjson.Value(data[i:]).Get("usage")
	u.PromptTokens, ok = Tokens(usage.Get("prompt_tokens"))
	u.CompletionTokens, _ = Tokens(usage.Get("completion_tokens"))
	details := usage.Get("prompt_tokens_details")
	u.CachedTokens, _ = Tokens(details.Get("cached_tokens"))
	u.WrittenTokens, _ = Tokens(details.Get("cache_write_tokens"))
	return u, ok
}
