package config

import (
	"killick/compactor/settings"
	"killick/proxy"
)

// compacts reports whether a model overrides settings of compaction.
func (m *ModelSpec) compacts() bool {
	return m.Profile != "" || m.Trigger != 0 || m.Target != 0 || m.Ingest.Set
}

// with returns the settings of compaction for a model. Its own profile has
// precedence over what is set for all; its own trigger also moves the target,
// as compaction.trigger does.
func (c *Compaction) with(m *ModelSpec) Compaction {
	own := *c
	own.SetProfile(m.Profile)
	if m.Trigger != 0 {
		if target, ok := FollowingTarget(own.Profile, m.Trigger); ok {
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

// CompactionOf returns the settings of compaction for a model: those of all, with the overrides of
// the entries that match it, the most specific last.
func (c *Config) CompactionOf(model string) Compaction {
	own := c.Compaction
	for _, name := range settings.ByModel(c.Models, model) {
		m := c.Models[name]
		own = own.with(&m)
	}
	return own
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
