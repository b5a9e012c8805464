package settings

import (
	"math"
	"time"

	"killick/compactor/plan"
)

// Size is an amount of tokens: below or at 1 a fraction of the model's context
// window, above it a count.
type Size float64

// Tokens returns the amount for a model whose window is given.
func (s Size) Tokens(window int) int {
	if s <= 1 {
		return int(float64(s) * float64(window))
	}
	return int(min(float64(s), math.MaxInt32))
}

// Budget is what a request is fitted to, in tokens.
type Budget struct {
	Trigger int // a request of more than this is compacted
	Target  int // what a compaction aims for
	MinGain int // a compaction that saves less than this is dropped
	Window  int // a request of more than this may not leave the model room to reply
	Ingest  int // outputs of more than this are shortened on arrival; 0: never
}

// Policy holds the settings of compaction. The zero value is the default.
type Policy struct {
	Trigger       Size              // if zero, DefaultTrigger
	Target        Size              // if zero, DefaultTarget
	MinGain       float64           // the share of the trigger that a compaction must save; if zero, DefaultMinGain
	Protect       Size              // what recent turns keep whole, at most: a share of the target or tokens; if zero, DefaultProtect
	ProtectTurns  int               // the newest turns that stay whole whatever the target; what the model has not answered is one of them and always whole
	Pin           []string          // what survives word for word: a text that a message holds, re: and an expression that it matches, tool: and the name or pattern of a tool
	MinMaskTokens int               // outputs under this are never masked; if zero, DefaultMinMaskTokens
	SummaryChars  int               // bound of a rendered summary, which what a model tells may pass by half; if zero, DefaultSummaryChars
	RecordTokens  int               // while the records are smaller than this, new turns get a record of their own behind them; if zero, never
	IndexTokens   int               // what a record may take to index references by the calls that showed them; if zero, none are indexed
	Ingest        int               // outputs of more tokens are shortened when they first arrive; if zero, never
	ExcludeTools  []string          // tools whose outputs are never masked: names, or patterns as in path.Match
	RedactPins    bool              // redact pinned messages and rules too, where a record repeats them
	Windows       map[string]Window // by model name or pattern, before the built-in table
	Models        map[string]Policy // of models with settings of their own, by name or pattern; their Windows and Models are not read
	StrictTurns   bool              // no two user messages in a row that were not: upstreams whose templates insist on it
	StrictModels  []string          // models that are treated so though others are not: names, or patterns as in path.Match
	MaxPinTokens  int               // a pinned message of more keeps its head and tail; if zero, DefaultMaxPinTokens
	Prepare       float64           // how much of the way from target to trigger a conversation goes before a model writes the next summary; if zero, DefaultPrepare

	// IdleAfter is for how long a conversation must rest until its provider's cache
	// counts as expired: then it may be compacted early. If zero, it never does.
	IdleAfter time.Duration

	// Covers has each record held against what it replaces. One that holds a smaller
	// share than LeastCoverage before it is repaired is not used.
	Covers        bool
	LeastCoverage float64

	Redact Redaction // Options.Redact
	Pins   PinRules  // of Pin
}

func (p Policy) WithDefaults() Policy {
	SetDefault(&p.Trigger, DefaultTrigger)
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
		own.StrictTurns, own.StrictModels, own.Prepare, own.Pin = p.StrictTurns, p.StrictModels, p.Prepare, p.Pin
		own.Covers, own.LeastCoverage = p.Covers, p.LeastCoverage
		own.IdleAfter = p.IdleAfter
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

// redactPins is what pinned messages are redacted by.
func (p *Policy) PinRedaction() Redaction {
	if p.RedactPins {
		return p.Redact
	}
	return nil
}

func SetDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Budget returns the budget for a model, in tokens of our count: the trigger is
// the smaller of the configured one and the window less what the reply is left;
// a target keeps its distance to a trigger that the window brings down. ratio is
// how many tokens the model may count for one of ours. It is taken in steps of a
// tenth, so that learning moves a trigger seldom, and only one that the window
// bounds.
func (p Policy) Budget(w Window, ratio float64) Budget {
	ratio = math.Ceil(max(ratio, 1)*10-1e-9) / 10
	asked, target := p.Trigger.Tokens(w.Tokens), p.Target.Tokens(w.Tokens)
	window := int(float64(w.Tokens-w.Reserve) / ratio)
	trigger := min(asked, window)
	if trigger < asked {
		target = int(float64(target) * float64(trigger) / float64(asked))
	}
	target = min(target, trigger*9/10)
	return Budget{Trigger: trigger, Target: target, MinGain: int(p.MinGain * float64(trigger)), Window: window, Ingest: p.Ingest}
}

// recordTokens bounds the records that new turns are told behind of: half of the
// way from the target to the trigger at most, so that small budgets are not all
// record.
func (p Policy) RecordRoom(b Budget) int { return min(p.RecordTokens, (b.Trigger-b.Target)/2) }

// indexTokens bounds the index of a record: a quarter of that way at most.
func (p Policy) IndexRoom(b Budget) int { return min(p.IndexTokens, (b.Trigger-b.Target)/4) }

// summaryChars bounds the rendered summary for a target: a character a token
// of the target, which is a quarter of it at four characters a token.
func (p Policy) SummaryRoom(b Budget) int {
	return min(p.SummaryChars, max(b.Target, 800))
}

// bounds are the limits that a plan holds a form against.
func (b Budget) Bounds() plan.Bounds {
	return plan.Bounds{Window: b.Window, Target: b.Target, MinGain: b.MinGain}
}
