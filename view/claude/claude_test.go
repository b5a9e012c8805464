package claude

import (
	"testing"

	"killick/rawjson"
)

func TestModelsThatCheckPrefixes(t *testing.T) {
	tests := []struct {
		model            string
		adaptive, byHand bool // whether they check, with this thinking
	}{
		{"claude-opus-5-5", true, true},
		{"claude-opus-5.5", true, true},
		{"claude-opus-5-5-20260901", true, true},
		{"claude-opus-5-5@20260901", true, true},
		{"claude-opus-5-5[1m]", true, true},
		{"anthropic/claude-opus-5.5", true, true},
		{"us.anthropic.claude-opus-5-5-20260901-v1:0", true, true},
		{"global.anthropic.claude-haiku-5-5-v1:0", true, true},
		{"claude-sonnet-5-5", true, true},
		{"claude-fable-5-1", true, true},
		{"claude-fable-5.2", true, true},
		{"claude-mythos-5-1", true, true},
		{"claude-opus-6", true, true},
		{"claude-haiku-6-1", true, true},
		{"claude-opus-5", false, false},
		{"claude-opus-5@20260401", false, false},
		{"us.anthropic.claude-opus-5-v1:0", false, false},
		{"claude-opus-5-1", false, false},
		{"claude-fable-5", false, false},
		{"claude-sonnet-5", false, false},
		{"claude-sonnet-4-5-20250929", false, false},
		{"claude-opus-4-20250514", false, false},
		{"claude-3-7-sonnet-latest", false, false},
		{"claude-3-5-haiku-20241022", false, false},
		{"anthropic.claude-3-5-sonnet-20241022-v2:0", false, false},
		{"claude-2.1", false, false},
		{"claude-instant-1.2", false, false},
		// Models that nobody knows.
		{"claude-opus-latest", true, false},
		{"claude-saga-6", true, false},
		{"claude-saga-4", false, false},
		{"Claude", true, false},
		{"gpt-6.1", false, false},
		{"kimi-k3-thinking", false, false},
		{"opus-5-5", false, false},
		{"", false, false},
	}
	for _, tt := range tests {
		for typ, want := range map[string]bool{"adaptive": tt.adaptive, "enabled": tt.byHand} {
			m, isClaude := Of(tt.model)
			drop, start := m.Thinks(rawjson.Value(`{"type":"` + typ + `"}`))
			if drop = drop && isClaude; drop != want {
				t.Errorf("%s with %s thinking: dropSigned %t, want %t", tt.model, typ, drop, want)
			}
			start = start && isClaude
			if want := typ == "enabled" && isClaude && !want; start != want {
				t.Errorf("%s with %s thinking: startSigned %t, want %t", tt.model, typ, start, want)
			}
		}
	}
}
