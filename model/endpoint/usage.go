package endpoint

import "killick/proxy/format"

// Price is what a model costs, in US dollars per million tokens.
type Price struct{ Input, Cached, Output float64 }

// Usage is the usage of requests, including failed ones.
type Usage struct {
	Calls            int     `json:"calls"`
	PromptTokens     int     `json:"prompt_tokens"` // cached ones among them
	CachedTokens     int     `json:"cached_tokens"`
	CompletionTokens int     `json:"completion_tokens"` // reasoning among them
	Cost             float64 `json:"cost"`              // US dollars
}

// Add adds other usage.
func (u *Usage) Add(other Usage) {
	u.Calls += other.Calls
	u.PromptTokens += other.PromptTokens
	u.CachedTokens += other.CachedTokens
	u.CompletionTokens += other.CompletionTokens
	u.Cost += other.Cost
}

// reportedUsage returns the usage that a reply reports in its format, without a price.
func reportedUsage(f format.Format, reply []byte) Usage {
	stated, ok := format.NewUsage(f)(reply)
	if !ok {
		return Usage{}
	}
	return Usage{PromptTokens: stated.PromptTokens, CachedTokens: stated.CachedTokens,
		CompletionTokens: stated.CompletionTokens}
}

// bytesPerToken is the estimate for endpoints that report no usage, so that caps on spending
// apply to them as well.
const bytesPerToken = 4

// usage prices one answered request by what the endpoint reported; sent and received are the
// bytes of body and answer, used if it reported nothing.
func (p Price) usage(reported Usage, sent, received int) Usage {
	u := Usage{
		Calls: 1, PromptTokens: reported.PromptTokens,
		CompletionTokens: max(reported.CompletionTokens, 0),
	}
	if reported.PromptTokens <= 0 {
		u.PromptTokens, u.CompletionTokens = sent/bytesPerToken, received/bytesPerToken
	}
	u.CachedTokens = min(max(reported.CachedTokens, 0), u.PromptTokens)
	u.Cost = perMillion * (p.Input*float64(u.PromptTokens-u.CachedTokens) +
		p.Cached*float64(u.CachedTokens) + p.Output*float64(u.CompletionTokens))
	return u
}

const perMillion = 1e-6

// most returns the maximum cost of a request whose answer did not arrive. A provider charges for
// it, but does not report how much: so nothing counts as cached, and the answer as complete.
func (p Price) most(sent, maxOutput int) float64 {
	return perMillion * (p.Input*float64(sent/bytesPerToken) + p.Output*float64(maxOutput))
}
