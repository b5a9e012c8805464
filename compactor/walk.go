package compactor

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/report"
	"killick/compactor/trigger"
)

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
	last := w.made[len(w.made)-1]
	w.keepOriginals(ctx, w.hidden, last)
	for _, made := range w.made {
		made.Made = w.engine.now().Unix()
	}
	// Forms that the last one has already replaced are not stored: a shorter request makes the
	// same decisions again.
	stored := w.put(ctx, last, known)
	if stored == last {
		w.report(w.made)
		return stored
	}
	w.report(w.made[:len(w.made)-1])
	w.made = nil // the request is sent in a form that another one made
	return stored
}

// report reports the new forms that have a record.
func (w *run) report(made []*checkpoint.Checkpoint) {
	for _, made := range made {
		if w.engine.formed == nil || len(made.Records) == 0 {
			continue
		}
		r, err := report.Of(made)
		if err != nil {
			w.failOpen("report_encoding", err)
			continue
		}
		w.engine.formed(r)
	}
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
	from, tried, atStake, ofAll := 0, 0, false, w.job.budget
	defer func() { w.job.budget = ofAll }()
	if cp != nil {
		from = min(cp.At, len(w.v.Messages)-1)
	}
	if w.job.lastOnly {
		from = max(from, len(w.v.Messages)-1)
	}
	filled := w.filled(cp)
	w.v.DecisionPoints(from, func(n int) bool {
		p, budget := w.v.Prefix(n), w.budgetAt(n)
		w.job.budget = budget
		size := checkpoint.Size(p, cp, p.PreambleRounded()) + filled.MoreBefore(n)
		foldable := checkpoint.FoldableTokens(p, cp)
		if !atStake && trigger.Overflow(budget, size) {
			tried, atStake = 0, true // a form that was rejected before is good enough now
		}
		past := trigger.Compact(budget, nextSize(cp), w.cold && n == len(w.v.Messages))
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

// nextSize returns the size that the request must exceed in the form cp before the next form is
// tried, 0 without a form.
func nextSize(cp *checkpoint.Checkpoint) int {
	if cp == nil {
		return 0
	}
	return cp.NextAt
}
