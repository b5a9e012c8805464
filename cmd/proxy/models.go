package main

import (
	"killick/compactor"
)

// ModelSpec is what the configuration knows of a model. Zero says nothing: what
// is published stands in.
type ModelSpec struct {
	Window        int    `yaml:"window"`         // tokens of prompt and completion together
	OutputReserve int    `yaml:"output_reserve"` // tokens of the window kept for the completion
	Prices        Prices `yaml:"prices"`
}

// Prices are in US dollars per million tokens.
type Prices struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"` // input that the provider's prompt cache holds
	Output float64 `yaml:"output"`
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
