package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"killick/compactor/settings"
	"killick/compactor/trigger"
)

// Effect describes when requests to a model are compacted.
func (c *Config) Effect(model string) string {
	policy, costs := c.Policy().WithDefaults().For(model), c.Costs(model)
	b := policy.Budget(settings.WindowOf(model, c.Windows()), 1, costs.Prices)
	of, beside := "requests", ""
	if b.Derived {
		of, beside = "turns", ", not counting instructions and tools,"
	}
	text := fmt.Sprintf("%s over %d tokens%s are compacted to about %d", of, b.Trigger, beside,
		b.Target)
	if isPattern(model) {
		text = "where nothing else is known of the model, " + text
	}
	if rest := trigger.Lifetime(policy, costs, 0); rest > 0 {
		text += fmt.Sprintf("; after %s of idle time, those over %d", DurationText(rest),
			trigger.Idle(b))
	}
	return text
}

// ModelsShown are the models whose effective settings are shown: some popular ones, and those of
// the file.
func (c *Config) ModelsShown() []string {
	names := slices.Clone(checkModels)
	for _, n := range slices.Sorted(maps.Keys(c.Models)) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// isPattern reports whether a name under models is one of many models.
func isPattern(name string) bool { return strings.ContainsAny(name, `*?[\`) }

var checkModels = []string{"claude-opus-5-5", "gpt-6.2-sol", "gpt-4.1"}
