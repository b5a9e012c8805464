package endpoint

import (
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

// What an endpoint says of itself cannot make a call cheaper than nothing, and one
// that says nothing is estimated.
func TestUsage(t *testing.T) {
	price := Price{Input: 2, Cached: 0.5, Output: 8}
	details := func(n int) *openai.PromptTokensDetails { return &openai.PromptTokensDetails{CachedTokens: n} }
	for name, test := range map[string]struct {
		usage openai.Usage
		want  Usage
	}{
		"plain":             {openai.Usage{PromptTokens: 1e6, CompletionTokens: 1e5}, Usage{1, 1e6, 0, 1e5, 2.8}},
		"cached":            {openai.Usage{PromptTokens: 1e6, PromptTokensDetails: details(8e5)}, Usage{1, 1e6, 8e5, 0, 0.8}},
		"more cached":       {openai.Usage{PromptTokens: 1e6, PromptTokensDetails: details(2e6)}, Usage{1, 1e6, 1e6, 0, 0.5}},
		"less than nothing": {openai.Usage{PromptTokens: 1e6, CompletionTokens: -5, PromptTokensDetails: details(-9)}, Usage{1, 1e6, 0, 0, 2}},
		"no usage":          {openai.Usage{}, Usage{1, 1e6, 0, 1e5, 2.8}},
		"negative usage":    {openai.Usage{PromptTokens: -1}, Usage{1, 1e6, 0, 1e5, 2.8}},
	} {
		got := price.usage(test.usage, 4e6, 4e5)
		if diff := got.Cost - test.want.Cost; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: US$ %v, want %v", name, got.Cost, test.want.Cost)
		}
		got.Cost = test.want.Cost
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
