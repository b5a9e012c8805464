package settings

import (
	"math"
	"strings"
	"testing"

	"killick/view"
)

// The longest known prefix of a name counts, whatever precedes and follows it.
func TestWindowsOfModels(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-5.1": 400_000, "gpt-5.4-mini-2026-03-17": 400_000, "gpt-5.5": 1_050_000,
		"openai/gpt-6.2-sol": 1_050_000, "claude-haiku-4-5-20251001": 200_000,
		"claude-opus-4-6": 1_000_000, "anthropic/claude-opus-5.5": 1_000_000,
		"claude-haiku-5-5": 1_000_000, "deepseek-chat": 128_000, "deepseek-v4-pro": 1_000_000,
		"us.anthropic.claude-opus-5-5-v1:0": 1_000_000, "amazon.nova-pro-v1:0": 300_000,
		"arn:aws:bedrock:us-east-1:1:inference-profile/eu.amazon.nova-2-lite-v1:0": 1_000_000,
		"openai.gpt-oss-120b-1:0": 131_072, "us.deepseek.r1-v1:0": 128_000,
		"us.meta.llama4-maverick-17b-instruct-v1:0": 1_000_000, "nova.claude": 200_000,
		"arn:aws:bedrock:us-east-1:1:application-inference-profile/claude": 200_000,
		"a.b.c.claude-opus-5": 128_000, "v1.claude-opus-5": 128_000,
		"grok-4": 256_000, "grok-4.6": 500_000, "kimi-k2.6": 262_144, "nobody": 128_000,
	} {
		if got := WindowOf(model, nil).Tokens; got != want {
			t.Errorf("%s: %d tokens, want %d", model, got, want)
		}
	}
	// OpenAI takes 922,000 tokens of input into its windows of 1,050,000.
	if w := WindowOf("gpt-6-sol", nil); w.Tokens-w.Reserve != 922_000 {
		t.Errorf("%+v leaves %d tokens for input", w, w.Tokens-w.Reserve)
	}
	for name, w := range KnownWindows {
		if w.Reserve <= 0 || w.Reserve > w.Tokens/4 {
			t.Errorf("%s: %+v reserves no sensible part", name, w)
		}
	}
}

// Clients send names of any length: looking one up takes no longer than reading it. (By each of its
// beginnings, as long as the name may be, this one takes hours.)
func TestWindowsOfLongNamesAreFoundInTime(t *testing.T) {
	rest := strings.Repeat("-", 16<<20)
	if got, want := WindowOf("gpt-5"+rest, nil), WindowOf("gpt-5", nil); got != want {
		t.Errorf("gpt-5 with a long rest has the window %+v, want %+v", got, want)
	}
	if got := WindowOf(rest, nil); got != DefaultWindow {
		t.Errorf("a long name has the window %+v, want the default", got)
	}
}

// A window that a request sets counts, whatever the model's own is, and leaves room for the
// completion.
func TestWindowsOfRequests(t *testing.T) {
	own := Window{Tokens: 128_000, Reserve: 8192}
	for asked, want := range map[view.Limits]Window{
		{}:                                    own,
		{Output: 9000}:                        own,
		{Window: -1}:                          own,
		{Window: 4096}:                        {4096, 512},
		{Window: 1_000_000}:                   {1_000_000, 8192},
		{Window: 4096, Output: 1000}:          {4096, 1000},
		{Window: 4096, Output: 9000}:          {4096, 2048},
		{Window: 4096, Output: -1}:            {4096, 512},
		{Window: 1}:                           {256, 32},
		{Window: math.MaxInt, Output: 16_000}: {math.MaxInt32, 16_000},
	} {
		if got := own.For(asked); got != want {
			t.Errorf("%+v: %+v, want %+v", asked, got, want)
		}
	}
}
