package main

import (
	"path"
	"slices"
	"strings"

	"killick/replay"
)

// publishedPrices are those of input, standard tier, in US dollars per million
// tokens, by the beginning of the model's name; the longest beginning wins.
// Sources: platform.openai.com/docs/pricing, docs.claude.com/en/docs/about-claude/pricing,
// ai.google.dev/gemini-api/docs/pricing, api-docs.deepseek.com/quick_start/pricing.
var publishedPrices = map[string]Prices{
	"gpt-5":             {Input: 1.25, Cached: 0.125},
	"gpt-5-mini":        {Input: 0.25, Cached: 0.025},
	"gpt-5-nano":        {Input: 0.05, Cached: 0.005},
	"gpt-4.1":           {Input: 2, Cached: 0.5},
	"gpt-4.1-mini":      {Input: 0.4, Cached: 0.1},
	"gpt-4.1-nano":      {Input: 0.1, Cached: 0.025},
	"gpt-4o":            {Input: 2.5, Cached: 1.25},
	"gpt-4o-mini":       {Input: 0.15, Cached: 0.075},
	"o3":                {Input: 2, Cached: 0.5},
	"o4-mini":           {Input: 1.1, Cached: 0.275},
	"claude-opus-4":     {Input: 15, Cached: 1.5},
	"claude-opus-4-5":   {Input: 5, Cached: 0.5},
	"claude-sonnet-4":   {Input: 3, Cached: 0.3},
	"claude-haiku-4-5":  {Input: 1, Cached: 0.1},
	"gemini-2.5-pro":    {Input: 1.25, Cached: 0.125},
	"gemini-2.5-flash":  {Input: 0.3, Cached: 0.03},
	"deepseek-chat":     {Input: 0.28, Cached: 0.028},
	"deepseek-reasoner": {Input: 0.28, Cached: 0.028},
}

// pricesOf returns the prices of a model: the operator's word for it, an exact
// name or a pattern, before what is published. ok is false where neither knows.
func (c *Config) pricesOf(model string) (p Prices, ok bool) {
	if spec, named := c.Models[model]; named && spec.Prices.Input > 0 {
		return spec.Prices, true
	}
	for pattern, spec := range c.Models {
		if matched, err := path.Match(pattern, model); err == nil && matched && spec.Prices.Input > 0 {
			return spec.Prices, true
		}
	}
	model = strings.ToLower(path.Base(model)) // without the prefix of a gateway
	longest := 0
	for beginning, published := range publishedPrices {
		if len(beginning) > longest && strings.HasPrefix(model, beginning) {
			p, longest = published, len(beginning)
		}
	}
	return p, longest > 0
}

// pricesFor returns at which prices of a cached token costs are to be measured:
// those asked for, and those of the models of the conversations.
func pricesFor(asked []float64, transcripts []*replay.Transcript, c Config) []float64 {
	prices := slices.Clone(asked)
	for _, t := range transcripts {
		if p, ok := c.pricesOf(t.Model()); ok && !slices.Contains(prices, p.Cached/p.Input) {
			prices = append(prices, p.Cached/p.Input)
		}
	}
	return prices
}

// bill is what the input of all requests costs, in US dollars.
type bill struct {
	Raw  float64 `json:"raw"`
	Sent float64 `json:"sent"`
	With float64 `json:"with_rereads"`
}

// add adds a conversation's costs at a model's prices.
func (b *bill) add(f *replay.Figures, p Prices) {
	for _, c := range f.Costs {
		if c.Price == p.Cached/p.Input {
			b.Raw += c.Raw * p.Input / 1e6
			b.Sent += c.Sent * p.Input / 1e6
			b.With += (c.Sent + c.Rereads) * p.Input / 1e6
			return
		}
	}
}
