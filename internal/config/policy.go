package config

import (
	"fmt"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/model"
)

// Renders names everything besides the messages that changes how a conversation is
// rendered and stored.
func (c *Config) Renders() string {
	name := fmt.Sprintf("%s;stored=%d;redact=%s;summarizer=%s", checkpoint.RendererVersion,
		checkpoint.Version, c.Compaction.Redact.version(), c.Compaction.Summarizer)
	if c.Compaction.Summarizer == "model" &&
		c.Model.Identifiers == string(model.RedactIdentifiers) {
		name += ";identifiers=" + c.Model.Identifiers
	}
	if len(c.Compaction.Pin) > 0 {
		name += fmt.Sprintf(";pin=%q", c.Compaction.Pin)
	}
	if c.Compaction.Expand != ExpandOff {
		name += ";expand"
	}
	return name
}

// policy converts to the value of settings.Policy.
func (i Idle) policy() time.Duration {
	switch i {
	case IdleByProvider:
		return 0
	case 0:
		return -1
	}
	return time.Duration(i)
}

// Policy is the compactor's part of a configuration.
func (c *Config) Policy() settings.Policy {
	p := settings.Policy{
		MinGain:       c.Compaction.MinGain,
		ProtectTurns:  c.Compaction.ProtectTurns,
		Pin:           c.Compaction.Pin,
		MinMaskTokens: c.Compaction.MinMaskTokens,
		SummaryBytes:  c.Compaction.SummaryBytes,
		IdleAfter:     c.Compaction.IdleAfter.policy(),
		ExcludeTools:  c.Compaction.ExcludeTools,
		RedactPins:    c.Compaction.Redact == RedactAll,
		Windows:       c.Windows(),
		Own:           c.ownPolicy(),
		StrictTurns:   c.Upstream.StrictTurns,
		StrictModels:  c.strictModels(),
		Prepare:       c.Compaction.Prepare,
		Expand:        c.Compaction.Expand != ExpandOff,
		CheckCoverage: c.Probe.Enabled,
		MinCoverage:   c.Probe.HardFailThreshold,
		Redact:        c.Compaction.Redact.Redactor(),
	}
	c.Compaction.setSizes(&p)
	return p
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
		own := compacting.CompactionOf(model)
		own.setSizes(&p)
		return p
	}
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

// setSizes sets in a policy what a profile sets.
func (c *Compaction) setSizes(p *settings.Policy) {
	target := c.Target
	if target == Auto && c.Trigger != Auto {
		target, _ = FollowingTarget(c.Profile, c.Trigger)
	}
	p.Auto = c.Trigger == Auto
	p.Trigger, p.Target = settings.Size(max(c.Trigger, 0)), settings.Size(max(target, 0))
	p.Protect, p.TruncateOver = settings.Size(c.Protect), c.Ingest
	p.RecordTokens, p.IndexTokens = c.RecordTokens, c.IndexTokens
	p.WorkingSetTokens = c.WorkingSet
}

// Budget returns the trigger and target in tokens for a model with that window.
// The output reserve never counts as space for input.
func (c *Compaction) Budget(window, reserve int) (trigger, target int) {
	b := (&Config{Compaction: *c}).Policy().
		Budget(settings.Window{Tokens: window, Reserve: reserve}, 1, plan.Prices{})
	return b.Trigger, b.Target
}
