package settings

import (
	"math"

	"killick/compactor/plan"
)

// Budget is what a request is fitted to, in tokens.
type Budget struct {
	Trigger int // a request of more than this is compacted
	Target  int // what a compaction aims for
	MinGain int // a compaction that saves less than this is dropped
	Window  int // a request of more than this may not leave the model room to reply
	// TruncateOver is the size past which an output is truncated on arrival; 0: never.
	TruncateOver int
	// TruncateAfter is how many tokens of turns stay whole whatever their outputs: short
	// conversations are left alone.
	TruncateAfter int
	// Derived: trigger and target were derived from prices. They are what the turns take beside
	// instructions and tools; see Beside.
	Derived bool
	Fixed   int // what instructions and tools take of the target, where it includes them
	Prices  plan.Prices
	Forgets bool // it is known when the provider forgets what it has cached
}

// Budget returns the budget for a model, in tokens of our count: the trigger is the
// smaller of the configured one and the window less what is reserved for the reply; a
// target keeps its distance to a trigger that the window brings down. ratio is how many
// tokens the model may count for one of ours. It is taken in steps of a tenth, so that
// learning moves a trigger seldom, and only one that the window bounds.
func (p Policy) Budget(w Window, ratio float64, prices plan.Prices) Budget {
	ratio = math.Ceil(max(ratio, 1)*10-1e-9) / 10
	asked, target := p.Trigger.Tokens(w.Tokens), p.Target.Tokens(w.Tokens)
	if p.Auto {
		asked = target + plan.Interval(prices, target, nominalGrowth)
	}
	window := int(float64(w.Tokens-w.Reserve) / ratio)
	trigger := min(asked, window)
	if trigger < asked {
		target = int(float64(target) * float64(trigger) / float64(asked))
	}
	target = min(target, trigger*9/10)
	b := Budget{
		Trigger: trigger, Target: target, MinGain: int(p.MinGain * float64(trigger)),
		Window: window, TruncateOver: p.TruncateOver, Derived: p.Auto, Prices: prices,
	}
	if p.Auto {
		b.TruncateAfter = max(trigger, min(shortTurns, window/2))
	}
	return b
}

// shortTurns is how many tokens of turns a short conversation has at most. In one, a file that was
// read is likely to be edited next, and too few turns follow to make good what reading it again
// costs.
const shortTurns = 10_000

// nominalGrowth is how many tokens a turn is taken to add until the first fold; then the
// conversation itself tells. The median at the folds of recorded sessions is 871 for Claude Code
// and 1,104 for Codex, outputs truncated on arrival.
const nominalGrowth = 900

// Beside returns the budget for requests whose instructions and tools take so many tokens: what
// was derived is for the turns alone, since nothing else can be made smaller.
func (b Budget) Beside(fixed int) Budget {
	if !b.Derived || b.Fixed > 0 {
		return b
	}
	b.Fixed = fixed
	b.Trigger = max(min(b.Trigger+fixed, b.Window), 1)
	b.Target = min(b.Target+fixed, b.Trigger*9/10)
	return b
}

// Turns is what the target leaves for the turns.
func (b Budget) Turns() int { return max(b.Target-b.Fixed, 0) }

// RecordRoom is what all records may take while new turns get one of their own: half of
// the way from the target to the trigger at most, so that small budgets are not all
// record.
func (p Policy) RecordRoom(b Budget) int { return min(p.RecordTokens, (b.Trigger-b.Target)/2) }

// IndexRoom is what the index of a record may take: a quarter of that way at most.
func (p Policy) IndexRoom(b Budget) int { return min(p.IndexTokens, (b.Trigger-b.Target)/4) }

// WorkingSetRoom is what lines of files may take behind the records: a quarter of that way at most.
func (p Policy) WorkingSetRoom(b Budget) int {
	return min(p.WorkingSetTokens, (b.Trigger-b.Target)/4)
}

// SummaryRoom is what a rendered summary may take, in characters: one for each token of
// the target, which is a quarter of it at four characters a token.
func (p Policy) SummaryRoom(b Budget) int { return min(p.SummaryChars, max(b.Turns(), 800)) }

// Bounds are the limits that a plan checks a form against.
func (b Budget) Bounds() plan.Bounds {
	return plan.Bounds{Window: b.Window, Target: b.Target, MinGain: b.MinGain}
}
