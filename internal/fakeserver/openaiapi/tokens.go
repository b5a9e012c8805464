package openaiapi

// BytesPerToken is the approximation for texts that nothing else counts.
const BytesPerToken = 4

// TokensIn is the number of tokens that n bytes are taken for.
func TokensIn(n int) int { return (n + BytesPerToken - 1) / BytesPerToken }

// Providers cache prompts of 1,024 tokens and more, in steps of 128
// (https://platform.openai.com/docs/guides/prompt-caching).
const (
	MinCached = 1024
	CacheStep = 128
)
