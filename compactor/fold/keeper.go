package fold

import (
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/transcript"
)

// Limits of what is kept.
const (
	firstKept      = 3   // messages that begin the conversation: a greeting, the task, its rules
	alwaysKept     = 20  // newest messages of persons that are kept whatever the room
	maxKeptMessage = 400 // tokens of each that is kept without room for all of it: head and tail
	briefMessage   = 50  // tokens of an older one that is kept in a room of its own
	maxBeforeTask  = 4   // messages of the client before the task
	maxPinned      = 50  // pinned messages
	maxRecords     = 50  // newest records that the client sent
)

// Keeper chooses what is kept of folded turns.
type Keeper struct {
	v      *layout.View
	t      *transcript.Transcript
	count  layout.Counter
	policy *settings.Policy
	budget settings.Budget
	refOf  func(content []byte) string
	memo   *memo

	end        int  // up to where messages count as newer than those of a fold
	all        bool // all user messages stay
	collecting bool
	// Originals are the originals of what the new form shows only in part, if collecting.
	Originals []checkpoint.Original
}

// NewKeeper returns a Keeper for the turns of a history.
func NewKeeper(h *history.History, c layout.Counter, refOf func([]byte) string) *Keeper {
	type key struct{}
	m := h.View.Once(key{}, func() any { return newMemo() }).(*memo)
	return &Keeper{
		v: h.View, t: h.Transcript, count: c, policy: &h.Policy, budget: h.Budget, refOf: refOf,
		memo: m, end: len(h.View.Messages),
	}
}

// keep collects the original of a text that the new form shows only in part.
func (k *Keeper) keep(original checkpoint.Original) {
	if k.collecting {
		k.Originals = append(k.Originals, original)
	}
}
