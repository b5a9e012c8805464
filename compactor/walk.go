package compactor

import (
	"bytes"
	"context"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/compactor/report"
	"killick/compactor/trigger"
)

// run is the compaction of one request.
type run struct {
	engine *Engine
	job    job
	v      *layout.View
	conv   checkpoint.Conversation
	found  *found // the last result of conv.Longest; nil if it was not called
	res    *compaction.Outcome
	made   []*checkpoint.Checkpoint // for this request, in order; only the last if not reported
	chosen string                   // the outcome of the last decision; "" if none was made
	hidden []checkpoint.Original    // of what was masked or folded
	cold   bool                     // the provider has nothing of the conversation cached any more
	cache  plan.Cache               // the facts about that
	seen   bool                     // its first message was seen before

	deciding bool // it has one of the engine's slots

	ready checkpoint.Conversation // what was prepared; nil if no model writes
}

// task returns the task of preparing the next summary of the conversation.
func (w *run) task() *prepare.Task {
	return &prepare.Task{
		Who: w.job.who, Policy: w.job.policy, Budget: w.job.budget,
		Count: w.job.count, Writers: w.job.writers, Origin: w.engine.origin,
		View: w.v, Conversation: w.conv, Prepared: w.ready, FailOpen: w.failOpen,
	}
}

func (w *run) failOpen(reason string, err error) {
	w.res.FailOpens = append(w.res.FailOpens, compaction.FailOpen{Reason: reason, Err: err})
}

// found is what the store has for the longest prefix of at most so many messages.
type found struct {
	most    int
	value   []byte // nil if there is nothing
	covers  int
	renewed bool // its expiry was extended; that of what it hides must be, too
	err     error
}

// longest looks up the longest stored prefix. It remembers the last result, because the store
// reports a renewal only once.
func (w *run) longest(ctx context.Context, most int) *found {
	if w.found == nil || w.found.most != most {
		f := found{most: most}
		f.value, f.covers, f.renewed, f.err = w.conv.Longest(ctx, most)
		w.found = &f
	}
	return w.found
}

// load returns the checkpoint of the longest known prefix that can be used, nil if there is none.
// A checkpoint that was made when the conversation was longer than this request is passed over, so
// that a turn that is sent again has the same bytes as before. So is one that ends within a group:
// the client has changed the messages after it.
func (w *run) load(ctx context.Context) *checkpoint.Checkpoint {
	for most := len(w.v.Messages); most >= 0; {
		found := w.longest(ctx, most)
		if found.err != nil {
			w.failOpen("store_read", found.err)
			return nil
		}
		if found.value == nil {
			return nil
		}
		cp, err := w.decode(found.value, found.covers)
		if err != nil {
			w.failOpen("checkpoint_unreadable", err)
			return nil
		}
		if cp.At <= len(w.v.Messages) && w.v.MayCut(cp.Fold) &&
			(cp.Provider == nil || w.v.MayCut(cp.Provider.Place)) {
			if found.renewed {
				w.renewOriginals(ctx, cp)
			}
			return cp
		}
		most = found.covers - 1
	}
	return nil
}

// updateForm makes the decisions that are due since the known form, which is nil if there is none,
// and stores the new form.
func (w *run) updateForm(ctx context.Context, known *checkpoint.Checkpoint) *checkpoint.Checkpoint {
	defer w.leave()
	cp := w.advance(ctx, known)
	if len(w.made) == 0 {
		return cp
	}
	if err := checkpoint.Validate(w.v, cp); err != nil {
		w.failOpen("form_unsound", err)
		w.made = nil
		return known
	}
	w.keepOriginals(ctx, w.hidden, w.made[len(w.made)-1])
	for _, made := range w.made {
		made.Made = w.engine.now().Unix()
	}
	// Forms that the last one has already replaced are not stored: a shorter request makes the
	// same decisions again.
	last := len(w.made) - 1
	cp = w.put(ctx, w.made[last], known)
	if w.engine.formed != nil {
		if cp != w.made[last] {
			w.made = w.made[:last]
		}
		for _, made := range w.made {
			if len(made.Records) > 0 {
				if r, err := report.Of(made); err != nil {
					w.failOpen("report_encoding", err)
				} else {
					w.engine.formed(r)
				}
			}
		}
	}
	return cp
}

// advance makes the decisions that are due between the known form and the end of the conversation,
// in order, and returns the resulting form. A conversation that is seen for the first time, after a
// restart with an empty store or by another replica, has the same decision points as one that was
// seen turn by turn, and gets the same bytes.
//
// After a decision that makes no new form, the next is made when an eighth more can be folded, so
// the cost of decisions grows with the length of the conversation and not with its square. Later
// turns do not repeat it.
func (w *run) advance(ctx context.Context, cp *checkpoint.Checkpoint) *checkpoint.Checkpoint {
	budget, from, tried, atStake := w.job.budget, 0, 0, false
	if cp != nil {
		from = min(cp.At, len(w.v.Messages)-1)
	}
	if w.job.lastOnly {
		from = max(from, len(w.v.Messages)-1)
	}
	filled := w.filled(cp)
	w.v.DecisionPoints(from, func(n int) bool {
		p := w.v.Prefix(n)
		size := checkpoint.Size(p, cp, p.PreambleRounded()) + filled.MoreBefore(n)
		foldable := checkpoint.FoldableTokens(p, cp)
		if !atStake && trigger.Overflow(budget, size) {
			tried, atStake = 0, true // a form that was rejected before is good enough now
		}
		past := trigger.Compact(budget, nextAt(cp), w.cold && n == len(w.v.Messages))
		if cp == nil && p.Total() <= past {
			return ctx.Err() == nil // it was forwarded as received: see fit
		}
		if size <= past || foldable < trigger.Retry(budget, tried) {
			return ctx.Err() == nil
		}
		key := w.decisionKey(p, cp, size, past)
		if w.knownNegative(key) {
			tried = foldable
			return ctx.Err() == nil
		}
		if !w.admit(ctx) {
			return false
		}
		next := w.decide(ctx, p, cp, size, past)
		if next == nil {
			if tried = foldable; ctx.Err() == nil {
				w.noteNegative(key)
			}
			return ctx.Err() == nil
		}
		cp, tried, atStake = next, 0, false
		filled = w.filled(cp)
		if w.engine.formed == nil {
			w.made = w.made[:0] // forms that this one replaces are only for reports
		}
		w.made = append(w.made, cp)
		return ctx.Err() == nil
	})
	return cp
}

// filled returns the stubs that are replaced by their content in the form cp, which may be nil.
func (w *run) filled(cp *checkpoint.Checkpoint) *history.Filling {
	return history.NewFilling(w.v, cp, w.job.budget.Window, w.job.count)
}

// nextAt returns the size that the request must exceed in the form cp before the next form is
// tried, 0 without a form.
func nextAt(cp *checkpoint.Checkpoint) int {
	if cp == nil {
		return 0
	}
	return cp.NextAt
}

// put stores a form in place of the known one, which may be nil. It returns the stored form: if
// another request stored a form for the same prefix first, that one.
func (w *run) put(ctx context.Context, cp, known *checkpoint.Checkpoint) *checkpoint.Checkpoint {
	value, err := cp.Encode()
	if err != nil {
		w.failOpen("checkpoint_encoding", err)
		return cp
	}
	replaced := -1
	if known != nil {
		replaced = known.Covers
	}
	winner, err := w.conv.Put(ctx, cp.Covers, replaced, value)
	if err != nil {
		w.failOpen("store_write", err)
		return cp
	}
	if bytes.Equal(winner, value) {
		return cp
	}
	first, err := checkpoint.Decode(winner, cp.Covers, w.v.Messages)
	if err != nil {
		w.failOpen("checkpoint_unreadable", err)
		return cp
	}
	return first
}
