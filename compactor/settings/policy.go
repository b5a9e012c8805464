package settings

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Size is a number of tokens: up to 1 a fraction of the model's context window, above 1 a count.
type Size float64

// Tokens returns the amount for a model whose window is given.
func (s Size) Tokens(window int) int {
	if s <= 1 {
		return int(float64(s) * float64(window))
	}
	return int(min(float64(s), math.MaxInt32))
}

// Policy holds the settings of compaction. The zero value is the default.
type Policy struct {
	// Auto derives the trigger from the prices of the model; Trigger is ignored. Target is then
	// the target size of the turns; if zero, AutoTarget.
	Auto    bool
	Trigger Size // the size past which a request is compacted; if zero, DefaultTrigger
	Target  Size // the size that a compaction aims for; if zero, DefaultTarget
	// MinGain is the share of the trigger that a compaction must save; if zero,
	// DefaultMinGain.
	MinGain float64
	// Protect is the size up to which the newest turns are not masked, though they may be folded:
	// a share of the target, or tokens; if zero, DefaultProtect.
	Protect Size
	// ProtectTurns is how many of the newest turns are neither masked nor folded. Messages that
	// the model has not answered are one of them; they always stay whole.
	ProtectTurns int
	// Pin selects text that is kept verbatim: a part of a message; re: and an expression; tool:
	// and the name or pattern of a tool.
	Pin           []string
	MinMaskTokens int // smaller outputs are never masked; if zero, DefaultMinMaskTokens
	// SummaryBytes is the longest rendered summary; text of a model may add half as much. If
	// zero, DefaultSummaryBytes.
	SummaryBytes int
	// RecordTokens is the size of all records up to which new turns get their own record after
	// them; if zero, all turns always have one record.
	RecordTokens int
	// IndexTokens is the room in a record for an index of references by the calls that showed
	// them; if zero, there is no index.
	IndexTokens int
	// WorkingSetTokens is the room for lines of files after the records; if zero, none are shown.
	WorkingSetTokens int
	// TruncateOver is the size past which an output is truncated when it first arrives;
	// if zero, none is.
	TruncateOver int
	// ExcludeTools are tools whose outputs are never masked: names, or patterns as in
	// path.Match.
	ExcludeTools []string
	RedactPins   bool // redact pinned text too, where a record repeats it
	// Windows are by model name or pattern, and take precedence over the built-in table.
	Windows map[string]Window
	// Own returns the policy of a model. It may differ from ofAll, the policy of all models, only
	// in what a profile sets. If nil, no model has its own settings.
	Own func(model string, ofAll Policy) Policy
	// StrictTurns avoids two user messages in a row where the client sent none: the templates of
	// some upstreams reject them.
	StrictTurns bool
	// StrictModels has the models whose StrictTurns differs, by name or pattern.
	StrictModels map[string]bool
	// MaxTaskTokens is the size to which the task, the latest request and what the client wrote
	// before the task are cut if there is no room for all of them. Pinned messages, which are
	// kept whole, may take four times as much together. If zero, DefaultMaxTaskTokens.
	MaxTaskTokens int
	// Prepare is the share of the distance from target to trigger past which a model writes the
	// next summary; if zero, DefaultPrepare.
	Prepare float64

	// IdleAfter is the idle time after which the provider's cache of a conversation counts as
	// expired: then it may be compacted early. If zero, it is the lifetime that the provider
	// states; if negative, the cache never expires.
	IdleAfter time.Duration

	// Expand has placeholders and records state that models may read the original of a ref.
	Expand bool

	// CheckCoverage has each record compared to what it replaces. If it covers a smaller share
	// than MinCoverage before repairs, it is not used.
	CheckCoverage bool
	MinCoverage   float64

	// Redact removes credentials from records and placeholders; if nil, they stay.
	Redact Redaction
	Pins   PinRules // of Pin
}

// WithDefaults returns the policy with defaults in fields that are zero.
func (p Policy) WithDefaults() Policy {
	p.setSizes()
	p.MinGain = cmp.Or(p.MinGain, DefaultMinGain)
	p.MinMaskTokens = cmp.Or(p.MinMaskTokens, DefaultMinMaskTokens)
	p.SummaryBytes = cmp.Or(p.SummaryBytes, DefaultSummaryBytes)
	p.MaxTaskTokens = cmp.Or(p.MaxTaskTokens, DefaultMaxTaskTokens)
	p.Prepare = cmp.Or(p.Prepare, DefaultPrepare)
	p.Pins = newPinRules(p.Pin)
	return p
}

// setSizes sets the defaults of what a profile sets.
func (p *Policy) setSizes() {
	p.Trigger = cmp.Or(p.Trigger, DefaultTrigger)
	if p.Auto {
		p.Target = cmp.Or(p.Target, AutoTarget)
	}
	p.Target = cmp.Or(p.Target, DefaultTarget)
	p.Protect = cmp.Or(p.Protect, DefaultProtect)
}

// For returns the policy for a model: the model's own, if it has one.
func (p Policy) For(model string) Policy {
	if p.Own == nil {
		return p
	}
	p = p.Own(model, p)
	p.setSizes()
	return p
}

// PinRedaction returns the redaction of pinned messages.
func (p *Policy) PinRedaction() Redaction {
	if p.RedactPins {
		return p.Redact
	}
	return nil
}

// Excluded reports whether outputs of a tool are never masked or truncated.
func (p *Policy) Excluded(tool string) bool {
	return slices.ContainsFunc(p.ExcludeTools, func(pattern string) bool {
		return matches(pattern, tool)
	})
}

// Strict reports whether a model's upstream requires turns to alternate.
func (p *Policy) Strict(model string) bool {
	if strict, ok := ForModel(p.StrictModels, model); ok {
		return strict
	}
	return p.StrictTurns
}
