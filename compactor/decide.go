package compactor

import (
	"cmp"
	"context"
	"errors"

	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/mask"
	"killick/compactor/plan"
	"killick/compactor/trigger"
)

// decide returns the next form of a conversation that has outgrown its form, chosen by package
// plan; nil if no other form is worthwhile.
func (w *run) decide(
	ctx context.Context,
	v *layout.View,
	cp *checkpoint.Checkpoint,
	size, limit int,
) *checkpoint.Checkpoint {
	cold, cache := w.cold, w.cache
	if len(v.Messages) < len(w.v.Messages) {
		// The decision was due at an earlier turn, whose time is not known.
		cold, cache = false, plan.Cache{Lifetime: w.cache.Lifetime}
	}
	cache.Preamble = v.Preamble
	h := history.New(v, cp, w.job.budget, w.job.policy)
	d := decision{work: w, history: h, Plan: plan.Plan{
		At: len(v.Messages), Size: size, Limit: limit, Bounds: w.job.budget.Bounds(),
		Outlook:    plan.NewOutlook(v.Answered(), cold, w.job.budget.Prices),
		Cache:      cache,
		MasksReach: mask.Reach(h, size, w.job.count, w.conv.Ref),
	}}
	next := d.carryOut(ctx)
	w.chosen = d.Plan.Chosen
	w.res.Decisions = append(w.res.Decisions, d.Plan)
	return next
}

// decision makes the forms that a plan requests.
type decision struct {
	work    *run
	history *history.History
	Plan    plan.Plan
	masked  *candidate
	folded  *candidate
}

// candidate is a form that is offered to a plan.
type candidate struct {
	form *checkpoint.Checkpoint
	plan.Option
	originals []checkpoint.Original // of what it hides
}

// carryOut takes the steps of the plan until a form is chosen.
func (d *decision) carryOut(ctx context.Context) *checkpoint.Checkpoint {
	d.Plan.Start()
	for {
		switch d.Plan.Next() {
		case plan.MakeMasks:
			d.mask()
		case plan.MakeFold:
			d.fold(ctx)
		case plan.UseMasks:
			return d.use(d.masked)
		case plan.UseFold:
			return d.use(d.folded)
		case plan.UseUnproven:
			// A record with too little is better than no answer. The outcome and the fail-open
			// reason report it.
			if d.Plan.Unproven() {
				d.work.failOpen("summary_unproven", fold.ErrCoverage)
				d.folded.Outcome = plan.FoldUnproven
				return d.use(d.folded)
			}
		case plan.Keep:
			d.Plan.Chosen = cmp.Or(d.Plan.Chosen, plan.Stay)
			return nil
		}
	}
}

// mask makes the form with more outputs masked and offers it.
func (d *decision) mask() {
	form, option, originals := mask.Make(d.history, d.work.job.count, d.work.conv.Ref)
	if form == nil {
		d.Plan.OfferMasks(nil)
		return
	}
	d.masked = &candidate{form, option, originals}
	d.Plan.OfferMasks(&option)
}

// fold makes the form with more turns folded and offers it.
func (d *decision) fold(ctx context.Context) {
	form, originals, err := d.work.task().Fold(ctx, d.history, d.Plan.Size)
	if form != nil {
		d.folded = &candidate{form, fold.Option(d.history, form), originals}
	}
	if err == nil {
		if d.Plan.OfferFold(d.folded.Option) {
			switch {
			case form.Provider != nil:
				d.folded.Outcome = plan.FoldWithProvider
			case form.Written != "":
				d.folded.Outcome = plan.FoldWithModel
			}
			return
		}
		err = fold.ErrNoGain
	}
	if errors.Is(err, fold.ErrCoverage) && form != nil {
		d.Plan.RejectFold(d.rejected(err), &d.folded.Option)
	} else {
		d.Plan.RejectFold(d.rejected(err), nil)
	}
}

// rejected counts why a fold is not used and returns the outcome.
func (d *decision) rejected(err error) (outcome string) {
	switch {
	case errors.Is(err, fold.ErrCoverage):
		outcome = plan.RejectedCoverage
	case errors.Is(err, fold.ErrPins):
		outcome = plan.RejectedPins
		d.work.failOpen("pins_do_not_fit", err)
	case errors.Is(err, fold.ErrNoGain), errors.Is(err, fold.ErrNothing):
		outcome = plan.Stay
	default:
		outcome = plan.RejectedInvalid
		d.work.failOpen("summary_invalid", err)
	}
	d.work.res.Made = append(d.work.res.Made, outcome)
	return outcome
}

// use completes a form with where it was made and when the next is due, and notes the originals of
// what it hides.
func (d *decision) use(c *candidate) *checkpoint.Checkpoint {
	cp, w := c.form, d.work
	if d.history.Form != nil {
		// A form is keyed by what it covers, and forms are immutable: a new one covers more than
		// the one before it, unless that covers all. Then it is not stored.
		cp.Covers = min(max(cp.Covers, d.history.Form.Covers+1), d.Plan.At)
	}
	cp.At, cp.Before, cp.After = d.Plan.At, d.Plan.Size, c.After
	growth := d.history.View.Before[d.Plan.At] / max(d.history.View.Answered(), 1)
	cp.NextAt = trigger.Next(w.job.budget, c.After, c.Rewritten, growth)
	w.hidden = append(w.hidden, c.originals...)
	d.Plan.Chosen = c.Outcome
	w.res.Made = append(w.res.Made, c.Outcome)
	return cp
}
