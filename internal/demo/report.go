package demo

import (
	"killick/chat"
	"killick/internal/config"
)

// sessionModel is the session's model, at whose prices it is billed.
const sessionModel = "gpt-5.1"

// Report is the result of the demo. --json prints its JSON.
type Report struct {
	Model         string    `json:"model"`
	Trigger       string    `json:"trigger"`
	Target        string    `json:"target"`
	Before        bill      `json:"before"`
	After         bill      `json:"after"`
	MaskedOutputs int       `json:"masked_outputs"`
	MaskPasses    int       `json:"mask_passes"`
	Summaries     int       `json:"summaries"`
	Coverage      *float64  `json:"lowest_coverage"` // of a record; null without one
	BrokenPairs   int       `json:"broken_pairs"`
	LostRequests  int       `json:"lost_requests"`
	FailedTurns   int       `json:"failed_turns"`
	FailOpens     int       `json:"fail_opens"` // internal errors that failed no request
	AddedMS       addedTime `json:"added_ms"`
	Seconds       float64   `json:"seconds"`
	Turns         []turn    `json:"turns"`

	ChangedInstructions int `json:"changed_instructions"`
}

// bill is the input cost of all requests.
type bill struct {
	InputTokens  int     `json:"input_tokens"`
	CachedTokens int     `json:"cached_tokens"` // of them, at the cached price
	Largest      int     `json:"largest_request"`
	CacheHitRate float64 `json:"cache_hit_rate"`
	InputCostUSD float64 `json:"input_cost_usd"`
}

// addedTime is what the proxy adds to a request, in milliseconds.
type addedTime struct {
	P50 float64 `json:"p50"`
	Max float64 `json:"max"`
}

// turn is one request.
type turn struct {
	Raw    int    `json:"raw"`  // tokens as sent straight
	Sent   int    `json:"sent"` // tokens as the proxy forwarded it
	Action string `json:"action"`
}

func (b *bill) add(u chat.Usage) {
	b.InputTokens += u.PromptTokens
	b.CachedTokens += u.CachedTokens
	b.Largest = max(b.Largest, u.PromptTokens)
}

// priced returns the bill with its totals computed.
func (b bill) priced() bill {
	if b.InputTokens > 0 {
		b.CacheHitRate = float64(b.CachedTokens) / float64(b.InputTokens)
	}
	fresh := b.InputTokens - b.CachedTokens
	c := config.Default()
	prices, _ := c.PricesOf(sessionModel) // published
	b.InputCostUSD = (float64(fresh)*prices.Input + float64(b.CachedTokens)*prices.Cached) / 1e6
	return b
}
