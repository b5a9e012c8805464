package compactor

import (
	"hash/maphash"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
)

// fruitless remembers decisions that came to nothing, so that the next turn of a
// conversation does not read all of its turns again to come to nothing once more.
// A decision follows from the messages and from what is in an attempt: what is
// forgotten is decided again, the same way.
type negativeCache = layout.Memo[attempt, bool]

// mostFruitless bounds what is remembered: about a megabyte.
const mostNegatives = 4096

// attempt is a decision that is about to be made.
type attempt struct {
	prefix string          // the messages that it follows from, and whose they are
	model  uint64          // whose policy it is
	base   checkpoint.Base // the form so far
	nextAt int
	size   int // of the request in that form
	past   int // what it exceeds
	budget settings.Budget
	cold   bool
}

var attemptSeed = maphash.MakeSeed()

// attempt is the decision at p over the form cp, of size, which exceeds past.
func (w *run) attempt(p *layout.View, cp *checkpoint.Checkpoint, size, past int) attempt {
	a := attempt{prefix: w.conv.Name(len(p.Messages)), model: maphash.String(attemptSeed, w.job.model), base: checkpoint.BaseOf(cp), size: size, past: past, budget: w.job.budget, cold: w.cold}
	if cp != nil {
		a.nextAt = cp.NextAt
	}
	return a
}

// cameToNothing reports whether a decision is known to come to nothing. It does so
// whoever writes: what a model writes only makes a record longer.
func (w *run) knownNegative(a attempt) bool {
	_, known := w.engine.negatives.Get(a)
	return known
}

// noteNothing remembers a decision that came to nothing, unless for a fault.
func (w *run) noteNegative(a attempt) {
	if w.chosen != "" && w.chosen != plan.RejectedInvalid {
		w.engine.negatives.Put(a, true)
	}
}
