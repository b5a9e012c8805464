package config

import (
	"path"
	"strings"

	"killick/compactor/settings"
)

// Prices are in US dollars per million tokens.
type Prices struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"` // input that the provider's prompt cache holds
	Output float64 `yaml:"output"`
}

// publishedPrices are those of the standard tier, by the beginning of the model's
// name; the longest beginning wins. Sources: platform.openai.com/docs/pricing,
// docs.claude.com/en/docs/about-claude/pricing, ai.google.dev/gemini-api/docs/pricing,
// api-docs.deepseek.com/quick_start/pricing.
var publishedPrices = map[string]Prices{
	"gpt-5":             {Input: 1.25, Cached: 0.125, Output: 10},
	"gpt-5-mini":        {Input: 0.25, Cached: 0.025, Output: 2},
	"gpt-5-nano":        {Input: 0.05, Cached: 0.005, Output: 0.4},
	"gpt-4.1":           {Input: 2, Cached: 0.5, Output: 8},
	"gpt-4.1-mini":      {Input: 0.4, Cached: 0.1, Output: 1.6},
	"gpt-4.1-nano":      {Input: 0.1, Cached: 0.025, Output: 0.4},
	"gpt-4o":            {Input: 2.5, Cached: 1.25, Output: 10},
	"gpt-4o-mini":       {Input: 0.15, Cached: 0.075, Output: 0.6},
	"o3":                {Input: 2, Cached: 0.5, Output: 8},
	"o4-mini":           {Input: 1.1, Cached: 0.275, Output: 4.4},
	"claude-opus-4":     {Input: 15, Cached: 1.5, Output: 75},
	"claude-opus-4-5":   {Input: 5, Cached: 0.5, Output: 25},
	"claude-sonnet-4":   {Input: 3, Cached: 0.3, Output: 15},
	"claude-haiku-4-5":  {Input: 1, Cached: 0.1, Output: 5},
	"gemini-2.5-pro":    {Input: 1.25, Cached: 0.125, Output: 10},
	"gemini-2.5-flash":  {Input: 0.3, Cached: 0.03, Output: 2.5},
	"deepseek-chat":     {Input: 0.28, Cached: 0.028, Output: 0.42},
	"deepseek-reasoner": {Input: 0.28, Cached: 0.028, Output: 0.42},
}

// PricesOf returns the prices of a model: the operator's word for it, an exact
// name or a pattern, before what is published. ok is false where neither knows.
func (c *Config) PricesOf(model string) (p Prices, ok bool) {
	own := map[string]Prices{}
	for name, m := range c.Models {
		if m.Prices.Input > 0 {
			own[name] = m.Prices
		}
	}
	if p, ok = settings.ForModel(own, model); ok {
		return p, true
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
