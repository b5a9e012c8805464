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
	found  *found // by the last look at conv; nil for none
	res    *compaction.Outcome
	made   []*checkpoint.Checkpoint // for this request, in order; the last alone if not reported
	chosen string                   // what the last decision came to; "": none was made
	hidden []checkpoint.Original    // of what was masked or folded
	cold   bool                     // the provider has nothing of the conversation cached any more
	cache  plan.Cache               // how that is known

	deciding bool // it holds one of the engine's slots

	ready checkpoint.Conversation // what was prepared; nil where no model writes
}

// task is the request as it is prepared for.
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
	value   []byte // nil for nothing
	covers  int
	renewed bool // it is kept longer; what it hides must be, too
	err     error
}

// longest looks a prefix up. The last result is kept, because the store reports a renewal only
// once.
func (w *run) longest(ctx context.Context, most int) *found {
	if w.found == nil || w.found.most != most {
		f := found{most: most}
		f.value, f.covers, f.renewed, f.err = w.conv.Longest(ctx, most)
		w.found = &f
	}
	return w.found
}

// load returns the checkpoint of the longest known prefix, nil if there is none
// that can be used. One that was made when the conversation was longer than this
// request is left out, so that a turn that is sent again reads as it did then. So is one that ends
// within what belongs together here: the client has changed what followed.
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
				w.keepAgain(ctx, cp)
			}
			return cp
		}
		most = found.covers - 1
	}
	return nil
}

// settle brings the conversation from the form that is known, nil if none, to
// the one that its length asks for, and stores what was made on the way.
func (w *run) settle(ctx context.Context, known *checkpoint.Checkpoint) *checkpoint.Checkpoint {
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
	// Forms that the last one has replaced already are not stored: a request that ends
	// before it decides as this one did.
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

// advance replays the decisions that are due between the form that is known and
// the end of the conversation, in order, and returns the form that the request
// has then. A request that is seen for the first time, after a restart with an
// empty store or by another replica, passes the same points as one that was seen
// turn by turn, and ends in the same bytes.
//
// A decision that comes to nothing is taken up again once an eighth more could
// be folded, so what they cost grows with the conversation and not with its
// square. At later turns it is not made again.
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
		size := checkpoint.Size(p, cp, p.FixedRounded()) + history.MoreBefore(filled, n)
		foldable := checkpoint.FoldableTokens(p, cp)
		if !atStake && trigger.Overflow(budget, size) {
			tried, atStake = 0, true // what was refused before will do now
		}
		past := trigger.Compact(budget, nextAt(cp), w.cold && n == len(w.v.Messages))
		if cp == nil && p.Total() <= past {
			return ctx.Err() == nil // it was forwarded as received: see fit
		}
		if size <= past || foldable < trigger.Retry(budget, tried) {
			return ctx.Err() == nil
		}
		a := w.attempt(p, cp, size, past)
		if w.knownNegative(a) {
			tried = foldable
			return ctx.Err() == nil
		}
		if !w.admit(ctx) {
			return false
		}
		next := w.decide(ctx, p, cp, size, past)
		if next == nil {
			if tried = foldable; ctx.Err() == nil {
				w.noteNegative(a)
			}
			return ctx.Err() == nil
		}
		cp, tried, atStake = next, 0, false
		filled = w.filled(cp)
		if w.engine.formed == nil {
			w.made = w.made[:0] // forms that this one replaces are for reports alone
		}
		w.made = append(w.made, cp)
		return ctx.Err() == nil
	})
	return cp
}

// filled are the stubs that the form cp answers with their content.
func (w *run) filled(cp *checkpoint.Checkpoint) []history.FilledStub {
	if cp == nil {
		return nil
	}
	return history.Filled(w.v, cp, w.job.budget.Window, w.job.count)
}

// nextAt is what the request must exceed in the form cp before the next is tried, 0 without
// a form.
func nextAt(cp *checkpoint.Checkpoint) int {
	if cp == nil {
		return 0
	}
	return cp.NextAt
}

// put stores a form in place of the known one, nil for none. It returns the stored form, which is
// another's if another request stored one for the same prefix first.
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
