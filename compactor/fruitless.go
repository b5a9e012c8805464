package compactor

import (
	"hash/maphash"
	"killick/compactor/plan"
)

// fruitless remembers decisions that came to nothing, so that the next turn of a
// conversation does not read all of its turns again to come to nothing once more.
// A decision follows from the messages and from what is in an attempt: what is
// forgotten is decided again, the same way.
type fruitless = memo[attempt, bool]

// mostFruitless bounds what is remembered: about a megabyte.
const mostFruitless = 4096

// attempt is a decision that is about to be made.
type attempt struct {
	prefix string // the messages that it follows from, and whose they are
	model  uint64 // whose policy it is
	base   Base   // the form so far
	nextAt int
	size   int // of the request in that form
	past   int // what it exceeds
	budget Budget
	cold   bool
}

var attemptSeed = maphash.MakeSeed()

// attempt is the decision at p over the form cp, of size, which exceeds past.
func (w *work) attempt(p *view, cp *Checkpoint, size, past int) attempt {
	a := attempt{prefix: w.conv.Name(len(p.msgs)), model: maphash.String(attemptSeed, w.job.model), base: baseOf(cp), size: size, past: past, budget: w.job.budget, cold: w.cold}
	if cp != nil {
		a.nextAt = cp.NextAt
	}
	return a
}

// cameToNothing reports whether a decision is known to come to nothing. It does so
// whoever writes: what a model writes only makes a record longer.
func (w *work) cameToNothing(a attempt) bool {
	_, known := w.engine.nothing.get(a)
	return known
}

// noteNothing remembers a decision that came to nothing, unless for a fault.
func (w *work) noteNothing(a attempt) {
	if w.chosen != "" && w.chosen != plan.RejectedInvalid {
		w.engine.nothing.put(a, true)
	}
}
