package config

import (
	"testing"
	"time"

	"killick/prices"
)

// The operator's settings take precedence over the table, key by key.
func TestPricesOf(t *testing.T) {
	c := Default()
	c.Models = map[string]ModelSpec{
		"my-*":            {Prices: prices.Model{Input: 2, Cached: 1}},
		"my-big-*":        {Prices: prices.Model{Input: 4, Cached: 2, Output: 8}},
		"gpt-4o":          {Prices: prices.Model{Input: 9, Cached: 3, Output: 12}},
		"claude-*":        {CacheTTL: time.Hour},
		"claude-opus-5-5": {Prices: prices.Model{Input: 8}},
		"local-*":         {CacheTTL: time.Minute},
		"o3":              {Window: 100_000}, // has no prices
	}
	for model, want := range map[string]prices.Model{
		"gpt-5.1":                 {Input: 1.25, Cached: 0.125, Write: 1.25, Output: 10},
		"gpt-5-mini-2025-08-07":   {Input: 0.25, Cached: 0.025, Write: 0.25, Output: 2},
		"openai/gpt-4.1-nano":     {Input: 0.1, Cached: 0.025, Write: 0.1, Output: 0.4},
		"claude-opus-4-1":         {Input: 15, Cached: 1.5, Write: 18.75, Output: 75},
		"claude-opus-5-5":         {Input: 8, Cached: 0.4, Write: 10, Output: 40},
		"gpt-4o":                  {Input: 9, Cached: 3, Write: 9, Output: 12},
		"my-model":                {Input: 2, Cached: 1, Write: 2},
		"my-big-model":            {Input: 4, Cached: 2, Write: 4, Output: 8},
		"o3":                      {Input: 2, Cached: 0.5, Write: 2, Output: 8},
		"local-llama":             {},
		"a-model-nobody-heard-of": {},
	} {
		m, ok := c.PricesOf(model)
		got := prices.Model{Input: m.Input, Cached: m.Cached, Write: m.Write, Output: m.Output}
		if got != want || ok != (want != prices.Model{}) {
			t.Errorf("%s: %+v %t, want %+v", model, got, ok, want)
		}
	}
	for model, want := range map[string]time.Duration{
		"claude-opus-5-5": time.Hour, "claude-haiku-4-5": time.Hour, "gpt-6-sol": 30 * time.Minute,
		"local-llama": time.Minute, "grok-4.6": 0,
	} {
		if m, _ := c.PricesOf(model); m.Lifetime != want {
			t.Errorf("%s: a lifetime of %s, want %s", model, m.Lifetime, want)
		}
	}
}
