package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"killick/compactor/settings"
	"killick/internal/config"
	"killick/internal/fields"
	"killick/prices"
)

// Explain describes, in comments, what happens to requests to a model, and lists the settings that
// apply to it, each with the place that set it.
func (s *Settings) Explain(model string) string {
	e := explanation{s, map[string]fields.Origin{}}
	for _, key := range []string{"mode", "profile", "trigger", "target", "ingest"} {
		e.from[key] = s.origins["compaction."+key]
	}
	e.profile(s.Compaction.Profile, func(key string) bool { return e.from[key].Where == "" })
	e.from["strict_turns"] = s.origins["upstream.strict_turns"]
	for _, name := range settings.ByModel(s.Models, model) {
		e.entry(name)
	}
	var b strings.Builder
	b.WriteString("\n" + s.effectLine(model))
	for _, line := range e.lines(model) {
		where := e.from[line.key].Where
		where = cmp.Or(where, line.unset)
		fmt.Fprintf(&b, "#   %-28s %s\n", line.key+": "+line.value, where)
	}
	return b.String()
}

// explanation collects the places that set the settings of a model.
type explanation struct {
	*Settings
	from map[string]fields.Origin // by key
}

// profile notes that a profile sets the keys that are to be noted.
func (e explanation) profile(name string, noted func(key string) bool) {
	for _, key := range []string{"trigger", "target", "ingest"} {
		if noted(key) {
			e.from[key] = fields.Origin{Where: "profile " + name}
		}
	}
}

// entry notes what an entry of models sets, in place of less specific ones.
func (e explanation) entry(name string) {
	m, at := e.Models[name], fields.Join("models", name)
	set := func(key string, isSet bool) {
		if isSet {
			e.from[key] = fields.Origin{Where: e.origins[at].Where + ", " + fields.Join(at, key)}
		}
	}
	if m.Profile != "" {
		e.profile(m.Profile, func(string) bool { return true })
	}
	if m.Trigger != 0 {
		e.from["target"] = derived
	}
	set("mode", m.Mode != "")
	set("profile", m.Profile != "")
	set("trigger", m.Trigger != 0)
	set("target", m.Target != 0)
	set("ingest", m.Ingest.Set)
	set("window", m.Window != 0)
	set("strict_turns", m.StrictTurns.Set)
	set("cache_ttl", m.CacheTTL != 0 || m.Prices.Lifetime != 0)
	set("prices", m.Prices != (prices.Model{}))
}

// explained is a setting of a model, and the text for one that nothing sets.
type explained struct{ key, value, unset string }

func (e explanation) lines(model string) []explained {
	own, window := e.CompactionOf(model), settings.WindowOf(model, e.Windows())
	policy := e.Policy()
	costs, priced := e.PricesOf(model)
	table := "the built-in table"
	if e.PricesFile.Path != "" {
		table = e.PricesFile.Path
	}
	strict := "default"
	if slices.ContainsFunc(e.Upstreams, func(u config.UpstreamEntry) bool {
		return u.StrictTurns
	}) {
		strict = "default, but true at upstreams that set it"
	}
	lines := []explained{
		{"mode", string(e.ModeOf(model)), "default"},
		{"profile", own.Profile, "default"},
		{"trigger", own.Trigger.String(), "default"},
		{"target", own.Target.String(), "default"},
		{"ingest", fmt.Sprint(own.Ingest), "default"},
		{"window", fmt.Sprint(window.Tokens), "as published, or assumed"},
		{"strict_turns", fmt.Sprint(policy.Strict(model)), strict},
	}
	if costs.Lifetime > 0 {
		lines = append(lines, explained{"cache_ttl", config.DurationText(costs.Lifetime), table})
	}
	if priced {
		lines = append(lines, explained{"prices", fmt.Sprintf("%g in, %g out", costs.Input,
			costs.Output), table})
	}
	return lines
}
