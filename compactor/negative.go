package compactor

import (
	"hash/maphash"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
)

// negatives are the decisions about a conversation that made no new form. They are remembered so
// that its next turn does not read all of its turns again with the same result. A decision follows
// from the messages and the fields of its key, so one that was forgotten is made again with the
// same result. There are few in a conversation: after one, more must be foldable before the next.
type negatives []decisionKey

const maxNegatives = 64

// negativesKey is their key in a view.Memory.
type negativesKey struct{}

// decisionKey has everything that a decision follows from.
type decisionKey struct {
	prefix string          // name of the messages, with their owner
	model  uint64          // hash of the model, which determines the policy
	base   checkpoint.Base // the form so far
	nextAt int
	size   int // of the request in that form
	past   int // the limit that it exceeds
	budget settings.Budget
	cold   bool
}

var decisionSeed = maphash.MakeSeed()

// decisionKey returns the key of the decision at p about the form cp, whose size exceeds past.
func (w *run) decisionKey(p *layout.View, cp *checkpoint.Checkpoint, size, past int) decisionKey {
	key := decisionKey{
		prefix: w.conv.Name(len(p.Messages)),
		model:  maphash.String(decisionSeed, w.job.model),
		base:   checkpoint.BaseOf(cp),
		size:   size,
		past:   past,
		budget: w.job.budget,
		cold:   w.cold,
	}
	if cp != nil {
		key.nextAt = cp.NextAt
	}
	return key
}

// knownNegative reports whether a decision is known to make no new form. That is true whether a
// model writes or not, since its text only makes a record longer.
func (w *run) knownNegative(key decisionKey) bool {
	kept, _ := w.v.Request.Memory().Load(negativesKey{})
	known, _ := kept.(negatives)
	return slices.Contains(known, key)
}

// noteNegative remembers a decision that made no new form, unless an error was the reason.
func (w *run) noteNegative(key decisionKey) {
	if w.chosen == "" || w.chosen == plan.RejectedInvalid {
		return
	}
	memory := w.v.Request.Memory()
	kept, _ := memory.Load(negativesKey{})
	known, _ := kept.(negatives)
	next := append(slices.Clone(known[max(0, len(known)-maxNegatives+1):]), key)
	const keyBytes = 240
	memory.Store(negativesKey{}, next, len(w.v.Messages), keyBytes*int64(len(next)))
}
