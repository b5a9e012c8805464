package config

import (
	"time"

	"killick/compactor/settings"
	"killick/prices"
	"killick/proxy"
)

// ModelSpec is what the configuration says about a model. For zero fields the
// published values are used.
type ModelSpec struct {
	Window        int `yaml:"window"`         // tokens of prompt and completion together
	OutputReserve int `yaml:"output_reserve"` // tokens of the window kept for the completion

	StrictTurns OwnSwitch `yaml:"strict_turns"` // overrides upstream.strict_turns

	// CacheTTL is how long the provider's prompt cache keeps an entry after its last use.
	CacheTTL time.Duration `yaml:"cache_ttl"`
	Prices   prices.Model  `yaml:"prices"`

	// These override those of compaction.
	Mode    Mode     `yaml:"mode"`
	Profile string   `yaml:"profile"`
	Trigger Amount   `yaml:"trigger"`
	Target  Amount   `yaml:"target"`
	Ingest  OwnCount `yaml:"ingest"`
}

// compacts reports whether a model overrides settings of compaction.
func (m *ModelSpec) compacts() bool {
	return m.Profile != "" || m.Trigger != 0 || m.Target != 0 || m.Ingest.Set
}

// with returns the settings of compaction for a model. Its own profile has
// precedence over what is set for all; its own trigger also moves the target,
// as compaction.trigger does.
func (c *Compaction) with(m *ModelSpec) Compaction {
	own := *c
	if setUp, ok := profiles[m.Profile]; ok {
		setUp(&own)
	}
	if m.Trigger != 0 {
		if target, ok := followingTarget(own.Profile, m.Trigger); ok {
			own.Target = target
		}
		own.Trigger = m.Trigger
	}
	if m.Target != 0 {
		own.Target = m.Target
	}
	if m.Ingest.Set {
		own.Ingest = m.Ingest.N
	}
	return own
}

// compactionOf returns the settings of compaction for a model: those of all, with the overrides of
// the entries that match it, the most specific last.
func (c *Config) compactionOf(model string) Compaction {
	own := c.Compaction
	for _, name := range settings.ByModel(c.Models, model) {
		m := c.Models[name]
		own = own.with(&m)
	}
	return own
}

// ownPolicy returns the policies of models, nil if none overrides settings of compaction.
func (c *Config) ownPolicy() func(string, settings.Policy) settings.Policy {
	compacting := Config{Compaction: c.Compaction, Models: map[string]ModelSpec{}}
	for name, m := range c.Models {
		if m.compacts() {
			compacting.Models[name] = m
		}
	}
	if len(compacting.Models) == 0 {
		return nil
	}
	return func(model string, p settings.Policy) settings.Policy {
		own := compacting.compactionOf(model)
		own.setSizes(&p)
		return p
	}
}

// Modes returns the mode of each model, nil if all have that of compaction,
// and the highest mode of any.
func (c *Config) Modes() (of func(model string) proxy.Mode, most proxy.Mode) {
	own := map[string]proxy.Mode{}
	most = proxy.Mode(c.Compaction.Mode)
	for name, m := range c.Models {
		if m.Mode == "" {
			continue
		}
		own[name] = proxy.Mode(m.Mode)
		if m.Mode == ModeOn || m.Mode == ModeObserve && most == proxy.ModeOff {
			most = proxy.Mode(m.Mode)
		}
	}
	if len(own) == 0 {
		return nil, most
	}
	return func(model string) proxy.Mode {
		if mode, ok := settings.ForModel(own, model); ok {
			return mode
		}
		return proxy.Mode(c.Compaction.Mode)
	}, most
}

// ModeOf returns the mode of one model.
func (c *Config) ModeOf(model string) Mode {
	if of, _ := c.Modes(); of != nil {
		return Mode(of(model))
	}
	return c.Compaction.Mode
}

// strictModels returns whether turns have to alternate, for the models that say so.
func (c *Config) strictModels() map[string]bool {
	strict := map[string]bool{}
	for name, m := range c.Models {
		if m.StrictTurns.Set {
			strict[name] = m.StrictTurns.On
		}
	}
	return strict
}

// Windows returns the configured windows, by name or pattern. Entries with only
// prices are skipped; a window without a reserve keeps
// the published one of models of that name.
func (c *Config) Windows() map[string]settings.Window {
	windows := make(map[string]settings.Window, len(c.Models))
	for name, m := range c.Models {
		if m.Window == 0 {
			continue
		}
		w := settings.Window{Tokens: m.Window, Reserve: m.OutputReserve}
		if published := settings.WindowOf(name, nil).Reserve; w.Reserve == 0 &&
			published < w.Tokens/2 {
			w.Reserve = published
		}
		windows[name] = w
	}
	return windows
}
