package prices

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The built-in table has no faults, and has a source and a date for each fact.
func TestThePublishedTable(t *testing.T) {
	table := Published()
	if _, err := time.Parse(time.DateOnly, table.AsOf); err != nil {
		t.Errorf("as_of is no date: %v", err)
	}
	used := map[string]bool{}
	for name, m := range table.Models {
		for _, f := range m.Faults() {
			t.Errorf("%s.%s: %s", name, f.Key, f.Problem)
		}
		if m.Input <= 0 || m.Output <= m.Input {
			t.Errorf("%s: %+v: want input below output", name, m)
		}
		for source := range strings.SplitSeq(m.Source, ", ") {
			if used[source] = true; table.Sources[source] == "" {
				t.Errorf("%s: its source %q is not among the sources", name, source)
			}
		}
		if got, ok := table.Of(name); !ok || got != m.complete() {
			t.Errorf("%s is found as %+v", name, got)
		}
	}
	for source := range table.Sources {
		if !used[source] {
			t.Errorf("nothing is from the source %s", source)
		}
	}
	if names := table.Names(); len(names) < 100 || !slices.IsSorted(names) {
		t.Errorf("%d names, want 100 and more in order", len(names))
	}
}

// The prices of writes and of cached tokens relative to fresh input decide when folding pays.
func TestSharesOfPublishedModels(t *testing.T) {
	for name, want := range map[string]Shares{
		"gpt-6.2-sol":          {0.05, 1.25, 5},
		"gpt-6-sol":            {0.1, 1.25, 5},
		"gpt-5.5":              {0.1, 1, 6},
		"gpt-4.1":              {0.25, 1, 4},
		"claude-opus-5.5":      {0.05, 1.25, 5},
		"claude-fable-5-1":     {0.025, 1.25, 5},
		"claude-haiku-5-5":     {0.1, 1.25, 5},
		"deepseek-flash":       {0.02, 1, 4},
		"grok-4.6":             {0.25, 1, 3},
		"mistral-medium-3.5":   {0.1, 1, 5},
		"gpt-5.5-pro":          {1, 1, 6}, // no discount
		"a-model-of-next-year": {},
	} {
		m, _ := Published().Of(name)
		if got := m.Shares(); !near(got.Cached, want.Cached) || !near(got.Write, want.Write) ||
			!near(got.Output, want.Output) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestModelsAreFoundByTheirNames(t *testing.T) {
	table := NewTable(File{Models: map[string]Model{
		"gpt-5": {Input: 1}, "gpt-5.1": {Input: 2}, "gpt-5-mini": {Input: 3},
		"claude-opus-4": {Input: 4}, "claude-opus-4-5": {Input: 5}, "o3": {Input: 6},
		"Kimi-K2.5": {Input: 7}, "claude-opus-5-5": {Input: 8}, "qwen3": {Input: 9},
	}})
	for model, want := range map[string]float64{
		"gpt-5": 1, "GPT-5-2025-08-07": 1, "gpt-5-codex": 1, "openai/gpt-5": 1,
		"azure/eu/gpt-5.1-2025-11-13": 2, "gpt-5-1": 2, "gpt-5-mini-2025-08-07": 3,
		"claude-opus-4-20250514": 4, "claude-opus-4-0": 4, "claude-opus-4@20250514": 4,
		"us.anthropic.claude-opus-4-5-20251101-v1:0": 5, "anthropic/claude-opus-4.5:thinking": 5,
		"o3-2025-04-16": 6, "moonshotai/kimi-k2-5": 7, "anthropic.claude-opus-5.5": 8,
		"qwen3-32b": 9, "gpt-5-001": 1,
		// Other versions and other models are not known, whatever they begin with.
		"gpt-5.2": 0, "gpt-5-2": 0, "claude-opus-4.9": 0, "claude-opus-4-9-20270101": 0,
		"gpt-50": 0, "o3x": 0, "claude-opus": 0, "": 0, "gpt": 0, ".": 0, "a/": 0,
	} {
		m, ok := table.Of(model)
		if m.Input != want || ok != (want > 0) {
			t.Errorf("%q: %v %t, want %v", model, m.Input, ok, want)
		}
	}
}

// A table may name models as gateways do.
func TestTableOfPrefixedNames(t *testing.T) {
	table := NewTable(File{Models: map[string]Model{
		"openai/gpt-5.1": {Input: 1}, "us.anthropic.claude-opus-5.5": {Input: 2},
	}})
	for model, want := range map[string]float64{
		"gpt-5.1": 1, "openai/gpt-5.1": 1, "azure/gpt-5-1": 1, "claude-opus-5-5": 2,
		"eu.anthropic.claude-opus-5-5": 2,
	} {
		if m, _ := table.Of(model); m.Input != want {
			t.Errorf("%s: %v, want %v", model, m.Input, want)
		}
	}
}

// Clients send names of any length: looking one up takes no longer than reading it. (Looking up
// each of its prefixes would take hours for this one.)
func TestLongNamesAreLookedUpInTime(t *testing.T) {
	table := Published()
	rest := strings.Repeat("-", 16<<20)
	want, _ := table.Of("gpt-5")
	if got, ok := table.Of("gpt-5" + rest); !ok || got != want {
		t.Errorf("gpt-5 with a long rest is found as %+v, want %+v", got, want)
	}
	if got, ok := table.Of(rest); ok {
		t.Errorf("a long name is found as %+v", got)
	}
}
