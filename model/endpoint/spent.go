package endpoint

import openai "github.com/sashabaranov/go-openai"

// Price is what a model costs, in US dollars per million tokens.
type Price struct{ Input, Cached, Output float64 }

// Spent is what calls came to, failed ones included.
type Spent struct {
	Calls            int     `json:"calls"`
	PromptTokens     int     `json:"prompt_tokens"` // cached ones among them
	CachedTokens     int     `json:"cached_tokens"`
	CompletionTokens int     `json:"completion_tokens"` // reasoning among them
	Cost             float64 `json:"cost"`              // US dollars
}

// Add adds what others came to.
func (s *Spent) Add(other Spent) {
	s.Calls += other.Calls
	s.PromptTokens += other.PromptTokens
	s.CachedTokens += other.CachedTokens
	s.CompletionTokens += other.CompletionTokens
	s.Cost += other.Cost
}

// bytesPerToken is the estimate for endpoints that tell no usage, so that caps
// on spend hold for them as well.
const bytesPerToken = 4

// spent prices one answered request by its usage; sent and got are the bytes of
// body and answer, for where there is none.
func (p Price) spent(usage openai.Usage, sent, got int) Spent {
	s := Spent{Calls: 1, PromptTokens: usage.PromptTokens, CompletionTokens: max(usage.CompletionTokens, 0)}
	if usage.PromptTokens <= 0 {
		s.PromptTokens, s.CompletionTokens = sent/bytesPerToken, got/bytesPerToken
	}
	if d := usage.PromptTokensDetails; d != nil {
		s.CachedTokens = min(max(d.CachedTokens, 0), s.PromptTokens)
	}
	const perMillion = 1e-6
	s.Cost = perMillion * (p.Input*float64(s.PromptTokens-s.CachedTokens) + p.Cached*float64(s.CachedTokens) + p.Output*float64(s.CompletionTokens))
	return s
}
