package config

import (
	"fmt"
	"time"

	"killick/compactor/checkpoint"
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

// setSizes sets in a policy what a profile sets.
func (c *Compaction) setSizes(p *settings.Policy) {
	target := c.Target
	if target == Auto && c.Trigger != Auto {
		target, _ = followingTarget(c.Profile, c.Trigger)
	}
	p.Auto = c.Trigger == Auto
	p.Trigger, p.Target = settings.Size(max(c.Trigger, 0)), settings.Size(max(target, 0))
	p.Protect, p.TruncateOver = settings.Size(c.Protect), c.Ingest
	p.RecordTokens, p.IndexTokens = c.RecordTokens, c.IndexTokens
	p.WorkingSetTokens = c.WorkingSet
}
