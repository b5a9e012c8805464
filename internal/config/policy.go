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
	target := c.Compaction.Target
	if target == Auto && c.Compaction.Trigger != Auto {
		target, _ = followingTarget(c.Compaction.Profile, c.Compaction.Trigger)
	}
	return settings.Policy{
		WorkingSetTokens: c.Compaction.WorkingSet,

		Auto:          c.Compaction.Trigger == Auto,
		Trigger:       settings.Size(max(c.Compaction.Trigger, 0)),
		Target:        settings.Size(max(target, 0)),
		MinGain:       c.Compaction.MinGain,
		Protect:       settings.Size(c.Compaction.Protect),
		ProtectTurns:  c.Compaction.ProtectTurns,
		Pin:           c.Compaction.Pin,
		MinMaskTokens: c.Compaction.MinMaskTokens,
		SummaryChars:  c.Compaction.SummaryChars,
		RecordTokens:  c.Compaction.RecordTokens,
		IndexTokens:   c.Compaction.IndexTokens,
		TruncateOver:  c.Compaction.Ingest,
		IdleAfter:     c.Compaction.IdleAfter.policy(),
		ExcludeTools:  c.Compaction.ExcludeTools,
		RedactPins:    c.Compaction.Redact == RedactAll,
		Windows:       c.Windows(),
		Models:        c.modelPolicies(),
		StrictTurns:   c.Upstream.StrictTurns,
		StrictModels:  c.strictModels(),
		Prepare:       c.Compaction.Prepare,
		Expand:        c.Compaction.Expand != ExpandOff,
		CheckCoverage: c.Probe.Enabled,
		LeastCoverage: c.Probe.HardFailThreshold,
	}
}
