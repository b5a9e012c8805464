package endpoint

import "testing"

// No usage report can make the cost of a call negative, and missing usage is estimated.
func TestUsage(t *testing.T) {
	price := Price{Input: 2, Cached: 0.5, Output: 8}
	usage := func(prompt, cached, completion int) Usage {
		return Usage{PromptTokens: prompt, CachedTokens: cached, CompletionTokens: completion}
	}
	for name, test := range map[string]struct {
		usage Usage
		want  Usage
	}{
		"plain":             {usage(1e6, 0, 1e5), Usage{1, 1e6, 0, 1e5, 2.8}},
		"cached":            {usage(1e6, 8e5, 0), Usage{1, 1e6, 8e5, 0, 0.8}},
		"more cached":       {usage(1e6, 2e6, 0), Usage{1, 1e6, 1e6, 0, 0.5}},
		"less than nothing": {usage(1e6, -9, -5), Usage{1, 1e6, 0, 0, 2}},
		"no usage":          {usage(0, 0, 0), Usage{1, 1e6, 0, 1e5, 2.8}},
		"negative usage":    {usage(-1, 0, 0), Usage{1, 1e6, 0, 1e5, 2.8}},
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
