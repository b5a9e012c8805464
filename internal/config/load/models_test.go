package load

import (
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/internal/config"
)

const layered = `
compaction: {trigger: 64000, ingest: 1000}
upstream: {strict_turns: true}
models:
  "*": {strict_turns: false, window: 500000}
  gpt-*: {profile: saver, ingest: 500}
  gpt-5.1*: {trigger: 30000}
  gpt-5.1-mini: {ingest: 0, strict_turns: true, mode: observe}
  "*-mini": {target: 10000, cache_ttl: 10m}
  o*: {cache_ttl: 10m}
  o3*: {prices: {lifetime: 20m, output: 5}}
  o3-mini: {prices: {input: 3, cached: 1}}
`

// All entries that match a model apply, the more specific ones over the less specific, and all of
// them over what is set for every model.
func TestEntriesOfModelsApplyTogether(t *testing.T) {
	s, err := Config(Sources{File: write(t, layered)})
	if err != nil {
		t.Fatal(err)
	}
	policy := s.Policy().WithDefaults()
	for model, want := range map[string]struct {
		trigger, target settings.Size
		ingest          int
		strict          bool
	}{
		"claude-opus-5-5": {64000, 37333, 1000, false},
		"gpt-4o":          {20000, 4000, 500, false},
		"gpt-5.1":         {30000, 6000, 500, false},
		"gpt-5.1-mini":    {30000, 6000, 0, true},     // "*-mini" is shorter than "gpt-5.1*"
		"gpt-5-mini":      {20000, 10000, 500, false}, // and longer than "gpt-*"
		"org/o-mini":      {64000, 37333, 1000, true}, // "*" does not match "/"
	} {
		p := policy.For(model)
		if p.Trigger != want.trigger || p.Target != want.target || p.TruncateOver != want.ingest ||
			p.Strict(model) != want.strict || p.Auto {
			t.Errorf("%s: past %v to %v, outputs over %d, strict %t; want %+v", model, p.Trigger,
				p.Target, p.TruncateOver, p.Strict(model), want)
		}
	}
	// In the table, o3-mini has an input of 1.1.
	if m, _ := s.PricesOf("o3-mini"); config.DurationText(m.Lifetime) != "10m" || m.Input != 3 ||
		m.Cached != 1 || m.Output < 13.6 || m.Output > 13.7 {
		t.Errorf("prices %+v", m)
	}
	if m, _ := s.PricesOf("o3-pro"); config.DurationText(m.Lifetime) != "20m" || m.Output != 5 {
		t.Errorf("prices %+v", m)
	}
}

// An entry is valid by itself, with what it inherits.
func TestInheritedTargetsAreChecked(t *testing.T) {
	_, err := Config(Sources{File: write(t, "models:\n  gpt-*: {trigger: 9000}\n"+
		"  gpt-5*: {target: 9500}\n")})
	const want = ":3: models.gpt-5*.target: 9500 is not below the trigger of models.gpt-5*, " +
		"which is 9000"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Each setting of a model is listed with the line and the entry that set it.
func TestExplain(t *testing.T) {
	file := write(t, layered)
	s, err := Config(Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	const want = `
# gpt-5.1-mini: mode observe.
#   mode: observe                FILE:8, models.gpt-5.1-mini.mode
#   profile: saver               FILE:6, models.gpt-*.profile
#   trigger: 30000               FILE:7, models.gpt-5.1*.trigger
#   target: 6000                 follows the trigger
#   ingest: 0                    FILE:8, models.gpt-5.1-mini.ingest
#   window: 500000               FILE:5, models.*.window
#   strict_turns: true           FILE:8, models.gpt-5.1-mini.strict_turns
#   cache_ttl: 10m               FILE:9, models.*-mini.cache_ttl
#   prices: 1.25 in, 10 out      the built-in table
`
	got := strings.ReplaceAll(s.Explain("gpt-5.1-mini"), file, "FILE")
	if got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	const unset = `
#   mode: on                     default
#   profile: auto                default
#   trigger: 64000               FILE:2
#   target: 37333                follows the trigger
#   ingest: 1000                 FILE:2
#   window: 128000               as published, or assumed
#   strict_turns: true           FILE:3
`
	got = strings.ReplaceAll(s.Explain("org/other"), file, "FILE")
	if !strings.HasSuffix(got, unset) {
		t.Errorf("got%s\nwant%s", got, unset)
	}
}
