package config

import "testing"

func TestPricesOf(t *testing.T) {
	c := Default()
	c.Models = map[string]ModelSpec{
		"my-*":     {Prices: Prices{Input: 2, Cached: 1}},
		"my-big-*": {Prices: Prices{Input: 4, Cached: 2, Output: 8}},
		"gpt-4o":   {Prices: Prices{Input: 9, Cached: 3}},
		"o3":       {Window: 100_000}, // says nothing of prices
	}
	for model, want := range map[string]Prices{
		"gpt-5.1":                 {Input: 1.25, Cached: 0.125, Output: 10},
		"gpt-5-mini-2025-08-07":   {Input: 0.25, Cached: 0.025, Output: 2},
		"openai/gpt-4.1-nano":     {Input: 0.1, Cached: 0.025, Output: 0.4},
		"claude-opus-4-5":         {Input: 5, Cached: 0.5, Output: 25},
		"claude-opus-4-1":         {Input: 15, Cached: 1.5, Output: 75},
		"gpt-4o":                  {Input: 9, Cached: 3},
		"my-model":                {Input: 2, Cached: 1},
		"my-big-model":            {Input: 4, Cached: 2, Output: 8},
		"o3":                      {Input: 2, Cached: 0.5, Output: 8},
		"a-model-nobody-heard-of": {},
	} {
		got, ok := c.PricesOf(model)
		if got != want || ok != (want != Prices{}) {
			t.Errorf("%s: %+v %t, want %+v", model, got, ok, want)
		}
	}
	for name, p := range publishedPrices {
		if p.Cached <= 0 || p.Input <= p.Cached || p.Output <= p.Input {
			t.Errorf("%s: %+v: want cached below input below output, as every provider has it",
				name, p)
		}
	}
}
