package load

import (
	"maps"
	"slices"
	"strings"

	"killick/compactor/settings"
	"killick/internal/config"
	"killick/internal/fields"
)

func (l *loader) validateCompaction() {
	c := &l.Compaction
	l.oneOf("compaction.profile", c.Profile, config.Profiles...)
	l.oneOf("compaction.summarizer", c.Summarizer, config.SummarizerRules, config.SummarizerModel,
		config.SummarizerProvider)
	if c.Prepare <= 0 || c.Prepare >= 1 {
		l.Invalid("compaction.prepare",
			"%v is not a share of the way from target to trigger (0 < x < 1)", c.Prepare)
	}
	if c.MinGain <= 0 || c.MinGain >= 1 {
		l.Invalid("compaction.min_gain", "%v is not a share of the trigger (0 < x < 1)", c.MinGain)
	}
	if c.Protect == config.Auto {
		l.Invalid("compaction.protect", "auto is for trigger and target; write a share of the "+
			"target such as 0.3, or a token count")
	}
	l.notNegative("compaction.protect_turns", c.ProtectTurns)
	if c.MinMaskTokens < 1 {
		l.Invalid("compaction.min_mask_tokens",
			"%d is not a size of an output; write 1 or more tokens", c.MinMaskTokens)
	}
	if c.SummaryBytes < minSummary {
		l.Invalid("compaction.summary_bytes", "%d leaves no room for a summary (≥ %d)",
			c.SummaryBytes, minSummary)
	}
	l.notNegative("compaction.record_tokens", c.RecordTokens)
	l.notNegative("compaction.index_tokens", c.IndexTokens)
	l.notNegative("compaction.working_set", c.WorkingSet)
	if c.Ingest != 0 && c.Ingest < minIngest {
		l.Invalid("compaction.ingest",
			"%d tokens leave nothing of an output to show; write 0 for never, or %d and more",
			c.Ingest, minIngest)
	}
	for i, name := range c.ExcludeTools {
		if strings.TrimSpace(name) == "" {
			l.Invalid("compaction.exclude_tools", "item %d is empty; write the name of a tool", i+1)
		}
		l.pattern("compaction.exclude_tools", name)
	}
	if len(c.Pin) > maxPins {
		l.Invalid("compaction.pin", "%d patterns; at most %d are allowed", len(c.Pin), maxPins)
	}
	for i, pattern := range c.Pin {
		if err := settings.CheckPin(pattern); err != nil {
			l.Invalid("compaction.pin", "item %d %v", i+1, err)
		}
	}
	l.validateTarget()
}

// minSummary is the minimum length in bytes that fits all sections of a
// summary with their headings.
const minSummary = 1000

// minIngest is the smallest limit that leaves a useful truncated output.
const minIngest = 300

// maxPins bounds the patterns that every message is matched against.
const maxPins = 64

// validateTarget compares trigger and target directly if both have the same
// unit, and otherwise for the configured windows.
func (l *loader) validateTarget() {
	const key = "compaction.target"
	trigger, target := l.Compaction.Trigger, l.Compaction.Target
	if l.Faulty("compaction.trigger") || l.Faulty(key) || trigger == config.Auto {
		return
	}
	if (trigger <= 1) == (target <= 1) {
		if target >= trigger {
			l.Invalid(key, "%s is not below compaction.trigger, which is %s", target, trigger)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.Models)) {
		m := l.Models[name]
		if m.Window > 0 && target.Of(m.Window) >= trigger.Of(m.Window) {
			l.Warn(key, "%s is not below the trigger %s in the window of %s, %d tokens; there a "+
				"compaction stops at nine tenths of the trigger",
				target, trigger, name, m.Window)
		}
	}
}

func (l *loader) validateModels() {
	for _, name := range slices.Sorted(maps.Keys(l.Models)) {
		m, at := l.Models[name], fields.Join("models", name)
		l.pattern(at, name)
		if strings.TrimSpace(name) == "" {
			l.Invalid(at, "a model has no name; write its name or a pattern such as gpt-5*")
		}
		if m.Window != 0 && m.Window < config.MinTokens {
			l.Invalid(at+".window", "%d is not a window in tokens (≥ %d)", m.Window,
				config.MinTokens)
		}
		l.notNegative(at+".output_reserve", m.OutputReserve)
		if m.Window == 0 && m.OutputReserve > 0 {
			l.Invalid(at+".output_reserve",
				"needs the window that it is taken from; write %s.window beside it", at)
		}
		if most := m.Window - config.MinTokens; most >= 0 && m.OutputReserve > most {
			l.Invalid(at+".output_reserve",
				"%d leaves no room for input in the window of %d; write %d or less",
				m.OutputReserve, m.Window, most)
		}
		l.validateOwn(name, m)
		l.validatePrices(at+".prices", m.Prices)
		if m.CacheTTL < 0 {
			l.Invalid(at+".cache_ttl", "%s is negative; write a duration such as 5m", m.CacheTTL)
		}
		if m.CacheTTL > 0 && m.Prices.Lifetime > 0 {
			l.Invalid(at+".prices.lifetime", "is also set by %s.cache_ttl; write one of them", at)
		}
	}
}

// validateOwn checks a model's overrides of the settings of compaction.
func (l *loader) validateOwn(name string, m config.ModelSpec) {
	at := fields.Join("models", name)
	if m.Profile != "" {
		l.oneOf(at+".profile", m.Profile, config.Profiles...)
	}
	if m.Ingest.N != 0 && m.Ingest.N < minIngest {
		l.Invalid(at+".ingest",
			"%d tokens leave nothing of an output to show; write 0 for never, or %d and more",
			m.Ingest.N, minIngest)
	}
	own := l.CompactionOf(name)
	if m.Trigger == 0 && m.Target == 0 || l.Faulty(at+".trigger") || l.Faulty(at+".target") ||
		l.Faulty(at+".profile") {
		return
	}
	if own.Trigger != config.Auto && (own.Trigger <= 1) == (own.Target <= 1) &&
		own.Target >= own.Trigger {
		l.Invalid(at+".target", "%s is not below the trigger of %s, which is %s", own.Target, at,
			own.Trigger)
	}
}

// warnOfSummarizer warns about settings of models that are never called.
func (l *loader) warnOfSummarizer() {
	const ignored = "no model is called while compaction.summarizer is %s; the section is ignored"
	switch l.Compaction.Summarizer {
	case config.SummarizerModel:
		return
	case config.SummarizerProvider:
		l.warnOfProvider()
	default:
		if l.Model != config.Default().Model {
			l.Warn("model", ignored, l.Compaction.Summarizer)
		}
	}
	if l.Probe.Model != (config.ProbeModel{}) {
		l.Warn("probe.model", ignored, l.Compaction.Summarizer)
	}
}

// warnOfProvider warns about settings without effect if the provider's API writes summaries.
func (l *loader) warnOfProvider() {
	def := config.Default().Model
	for _, key := range []struct {
		name string
		set  bool
	}{
		{"name", l.Model.Name != def.Name}, {"base_url", l.Model.BaseURL != def.BaseURL},
		{"api_key", l.Model.APIKey != def.APIKey}, {"window", l.Model.Window != def.Window},
		{"instructions", l.Model.Instructions != def.Instructions},
		{"identifiers", l.Model.Identifiers != def.Identifiers},
	} {
		if key.set {
			l.Warn("model."+key.name, "ignored: while compaction.summarizer is %s the API of the "+
				"request writes, with the client's own model and key", config.SummarizerProvider)
		}
	}
}
