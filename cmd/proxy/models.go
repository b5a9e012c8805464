package main

import (
	"slices"

	"killick/compactor"
)

// ModelSpec is what the configuration knows of a model. Zero says nothing: what
// is published stands in.
type ModelSpec struct {
	Window        int    `yaml:"window"`         // tokens of prompt and completion together
	OutputReserve int    `yaml:"output_reserve"` // tokens of the window kept for the completion
	StrictTurns   bool   `yaml:"strict_turns"`   // as upstream.strict_turns, for this model
	Prices        Prices `yaml:"prices"`
}

// Prices are in US dollars per million tokens.
type Prices struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"` // input that the provider's prompt cache holds
	Output float64 `yaml:"output"`
}

// strictModels returns the models whose turns have to alternate.
func (c *Config) strictModels() (patterns []string) {
	for name, m := range c.Models {
		if m.StrictTurns {
			patterns = append(patterns, name)
		}
	}
	slices.Sort(patterns)
	return patterns
}

// Windows returns the windows that the configuration gives, by name or pattern.
// Entries that only hold prices are left out; a window without a reserve keeps
// the published one of models of that name.
func (c *Config) Windows() map[string]compactor.Window {
	windows := make(map[string]compactor.Window, len(c.Models))
	for name, m := range c.Models {
		if m.Window == 0 {
			continue
		}
		w := compactor.Window{Tokens: m.Window, Reserve: m.OutputReserve}
		if published := compactor.WindowOf(name, nil).Reserve; w.Reserve == 0 && published < w.Tokens/2 {
			w.Reserve = published
		}
		windows[name] = w
	}
	return windows
}
