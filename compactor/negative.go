package compactor

import (
	"hash/maphash"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
)

// negatives are the decisions about a conversation that came to nothing, so that its next turn does
// not read all of its turns again to come to nothing once more. A decision follows from the
// messages and from what is in an attempt: what is dropped is decided again, the same way. A
// conversation comes to few of them, since the next is only made once more can be folded.
type negatives []attempt

const maxNegatives = 64

// negativesKey is where they are kept in a chat.Memory.
type negativesKey struct{}

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
	a := attempt{
		prefix: w.conv.Name(len(p.Messages)),
		model:  maphash.String(attemptSeed, w.job.model),
		base:   checkpoint.BaseOf(cp),
		size:   size,
		past:   past,
		budget: w.job.budget,
		cold:   w.cold,
	}
	if cp != nil {
		a.nextAt = cp.NextAt
	}
	return a
}

// knownNegative reports whether a decision is known to come to nothing. It does so
// whoever writes: what a model writes only makes a record longer.
func (w *run) knownNegative(a attempt) bool {
	kept, _ := w.v.Request.Memory().Load(negativesKey{})
	known, _ := kept.(negatives)
	return slices.Contains(known, a)
}

// noteNegative remembers a decision that came to nothing, unless for a fault.
func (w *run) noteNegative(a attempt) {
	if w.chosen == "" || w.chosen == plan.RejectedInvalid {
		return
	}
	memory := w.v.Request.Memory()
	kept, _ := memory.Load(negativesKey{})
	known, _ := kept.(negatives)
	next := append(slices.Clone(known[max(0, len(known)-maxNegatives+1):]), a)
	const attemptBytes = 240
	memory.Store(negativesKey{}, next, len(w.v.Messages), attemptBytes*int64(len(next)))
}
