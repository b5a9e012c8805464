package settings

import (
	"math"
	"time"
)

// Size is an amount of tokens: up to 1 a fraction of the model's context window, above
// that a count.
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
	// Auto derives the trigger from the prices of the model, and has Target be what the turns may
	// take; if zero, AutoTarget. Trigger is not read then.
	Auto    bool
	Trigger Size // past which a request is compacted; if zero, DefaultTrigger
	Target  Size // that a compaction brings a request down to; if zero, DefaultTarget
	// MinGain is the share of the trigger that a compaction must save; if zero,
	// DefaultMinGain.
	MinGain float64
	// Protect is what the recent turns that stay whole may take: a share of the target, or
	// tokens; if zero, DefaultProtect.
	Protect Size
	// ProtectTurns is how many of the newest turns stay whole whatever the target. What
	// the model has not answered is one of them and always whole.
	ProtectTurns int
	// Pin is what survives word for word: a text that a message holds, re: and an
	// expression that it matches, tool: and the name or pattern of a tool.
	Pin           []string
	MinMaskTokens int // smaller outputs are never masked; if zero, DefaultMinMaskTokens
	// SummaryChars bounds a rendered summary; what a model wrote may take half as much
	// again. If zero, DefaultSummaryChars.
	SummaryChars int
	// RecordTokens is what all records may take while new turns get one of their own
	// behind them; if zero, they never do.
	RecordTokens int
	// IndexTokens is what a record may take to index references by the calls that showed
	// them; if zero, none are indexed.
	IndexTokens int
	// WorkingSetTokens is what lines of files may take that are shown behind the records;
	// if zero, none are.
	WorkingSetTokens int
	// TruncateOver is the size past which an output is truncated when it first arrives;
	// if zero, none is.
	TruncateOver int
	// ExcludeTools are tools whose outputs are never masked: names, or patterns as in
	// path.Match.
	ExcludeTools []string
	RedactPins   bool // redact pinned messages and rules too, where a record repeats them
	// Windows are by model name or pattern, and come before the built-in table.
	Windows map[string]Window
	// Models have settings of their own, by name or pattern. Their Windows and Models are
	// not read.
	Models map[string]Policy
	// StrictTurns allows no two user messages in a row where there were none: some
	// upstreams' templates insist on it.
	StrictTurns bool
	// StrictModels are models that are treated so though others are not: names, or
	// patterns as in path.Match.
	StrictModels []string
	// MaxPinTokens is the size past which a pinned message keeps its head and tail alone;
	// if zero, DefaultMaxPinTokens.
	MaxPinTokens int
	// Prepare is the share of the way from target to trigger past which a model writes the
	// next summary; if zero, DefaultPrepare.
	Prepare float64

	// IdleAfter is for how long a conversation must be idle until its provider's cache
	// counts as expired: then it may be compacted early. If zero, that is the lifetime that
	// its provider states; if negative, it never expires.
	IdleAfter time.Duration

	// Expand has placeholders and records say that models may read what a ref leads to.
	Expand bool

	// CheckCoverage has each record compared to what it replaces. One that holds a smaller
	// share than LeastCoverage before it is repaired is not used.
	CheckCoverage bool
	LeastCoverage float64

	Redact Redaction // Options.Redact
	Pins   PinRules  // of Pin
}

// WithDefaults returns the policy with what it leaves out, and its models' likewise.
func (p Policy) WithDefaults() Policy {
	SetDefault(&p.Trigger, DefaultTrigger)
	if p.Auto {
		SetDefault(&p.Target, AutoTarget)
	}
	SetDefault(&p.Target, DefaultTarget)
	SetDefault(&p.MinGain, DefaultMinGain)
	SetDefault(&p.Protect, DefaultProtect)
	SetDefault(&p.MinMaskTokens, DefaultMinMaskTokens)
	SetDefault(&p.SummaryChars, DefaultSummaryChars)
	SetDefault(&p.MaxPinTokens, DefaultMaxPinTokens)
	SetDefault(&p.Prepare, DefaultPrepare)
	p.Pins = NewPinRules(p.Pin)
	models := make(map[string]Policy, len(p.Models))
	for name, own := range p.Models {
		own.Windows, own.Models, own.Redact = p.Windows, nil, p.Redact
		own.StrictTurns, own.StrictModels = p.StrictTurns, p.StrictModels
		own.Prepare, own.Pin = p.Prepare, p.Pin
		own.CheckCoverage, own.LeastCoverage = p.CheckCoverage, p.LeastCoverage
		own.IdleAfter, own.Expand = p.IdleAfter, p.Expand
		models[name] = own.WithDefaults()
	}
	p.Models = models
	return p
}

// For returns the policy for a model: its own, if it has one.
func (p Policy) For(model string) Policy {
	if own, ok := ForModel(p.Models, model); ok {
		return own
	}
	return p
}

// PinRedaction is what pinned messages are redacted by.
func (p *Policy) PinRedaction() Redaction {
	if p.RedactPins {
		return p.Redact
	}
	return nil
}

// SetDefault gives a field that is zero its default.
func SetDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
