package settings

import (
	"math"

	"killick/compactor/plan"
)

// Budget has the limits that a request is fitted to, in tokens.
type Budget struct {
	Trigger int // a request of more than this is compacted
	Target  int // the size that a compaction aims for
	MinGain int // a compaction that saves less than this is discarded
	Window  int // a request of more than this may not leave the model room to reply
	// TruncateOver is the size past which an output is truncated on arrival; 0: never.
	TruncateOver int
	// TruncateAfter is the size of the turns up to which no output is truncated: short
	// conversations stay whole.
	TruncateAfter int
	// Derived is true if trigger and target were derived from prices. They are then about the
	// turns only, without instructions and tools; see Beside.
	Derived  bool
	Preamble int  // tokens of instructions and tools in the target, if it includes them
	Chat     bool // nothing can be read again; see OfChat
	Prices   plan.Prices
	Forgets  bool // the lifetime of the provider's cache is known
}

// Budget returns the budget for a model, in tokens of our count. The trigger is the smaller of the
// configured one and the window minus the reserve for the reply. If the window lowers the trigger,
// the target is lowered in proportion. ratio is the number of tokens that the model may count for
// one of ours. It is rounded up to tenths, so that learning seldom moves a trigger, and then only
// one that the window limits.
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

// shortTurns is the most tokens of turns in a short conversation. A file that was read in one is
// likely to be edited next, and too few turns follow to recover the cost of reading it again.
const shortTurns = 10_000

// nominalGrowth is the number of tokens that a turn is assumed to add until the first fold; after
// that, the growth is measured. The median at the folds of recorded sessions is 871 for Claude Code
// and 1,104 for Codex, with outputs truncated on arrival.
const nominalGrowth = 900

// Beside returns the budget for requests with this many tokens of instructions and tools. Derived
// thresholds are only about the turns, since nothing else can be made smaller.
func (b Budget) Beside(preamble int) Budget {
	if !b.Derived || b.Preamble > 0 {
		return b
	}
	b.Preamble = preamble
	b.Trigger = max(min(b.Trigger+preamble, b.Window), 1)
	b.Target = min(b.Target+preamble, b.Trigger*9/10)
	return b
}

// OfChat returns a derived budget for a chat in which nothing can be read again: its newest turns
// stay whole, up to chatTurns tokens or a quarter of the window.
func (b Budget) OfChat() Budget {
	b.Chat = true
	turns := min(chatTurns, b.Window/4)
	if b.Turns() >= turns {
		return b
	}
	b.Target = b.Preamble + turns
	b.Trigger = min(b.Target+plan.Interval(b.Prices, turns, nominalGrowth), b.Window)
	b.Target = min(b.Target, b.Trigger*9/10)
	return b
}

// chatTurns is how many tokens of a chat's newest turns stay whole: a long article and what was
// said about it since.
const chatTurns = 16_000

// Turns returns the part of the target that is for the turns: all but what Beside added. If the
// target was not derived, that is all of it.
func (b Budget) Turns() int { return max(b.Target-b.Preamble, 0) }

// RecordRoom returns the size up to which all records together may grow while new turns get their
// own record: at most half of the distance from the target to the trigger, so that records do not
// fill a small budget.
func (p Policy) RecordRoom(b Budget) int { return min(p.RecordTokens, (b.Trigger-b.Target)/2) }

// IndexRoom returns the room for the index of a record: at most a quarter of the distance from the
// target to the trigger.
func (p Policy) IndexRoom(b Budget) int { return min(p.IndexTokens, (b.Trigger-b.Target)/4) }

// WorkingSetRoom returns the room for the lines of files after the records: at most a quarter of
// the distance from the target to the trigger.
func (p Policy) WorkingSetRoom(b Budget) int {
	return min(p.WorkingSetTokens, (b.Trigger-b.Target)/4)
}

// SummaryRoom returns the room for a rendered summary, in bytes: three for every two tokens of the
// target. At four bytes a token, that is three eighths of the target.
func (p Policy) SummaryRoom(b Budget) int { return min(p.SummaryBytes, max(b.Turns()*3/2, 800)) }

// Bounds returns the limits that a plan checks a form against.
func (b Budget) Bounds() plan.Bounds {
	return plan.Bounds{Window: b.Window, Target: b.Target, MinGain: b.MinGain}
}
