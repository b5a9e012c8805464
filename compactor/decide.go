package compactor

import (
	"context"
	"errors"

	"killick/compactor/plan"
)

// decide makes the next form of a conversation that has outgrown the one it has, as
// package plan decides. nil: nothing worthwhile.
func (w *work) decide(ctx context.Context, v *view, cp *Checkpoint, size, limit int) *Checkpoint {
	f := newFrontier(v, cp, w.job.budget, w.job.policy)
	d := decision{work: w, f: f, Plan: plan.Plan{
		At: len(v.msgs), Size: size, Limit: limit, Bounds: w.job.budget.bounds(),
		Outlook:       plan.NewOutlook(v.answered(), w.cold && len(v.msgs) == len(w.v.msgs)),
		MasksMayReach: f.masksMayReach(size),
	}}
	next := d.carryOut(ctx)
	w.chosen = d.Plan.Chosen
	w.res.Decisions = append(w.res.Decisions, d.Plan)
	return next
}

// bounds are the limits that a plan holds a form against.
func (b Budget) bounds() plan.Bounds {
	return plan.Bounds{Window: b.Window, Target: b.Target, MinGain: b.MinGain}
}

// decision makes the forms that a plan asks for.
type decision struct {
	work   *work
	f      *frontier
	Plan   plan.Plan
	masked *candidate
	folded *candidate
}

// candidate is a form that is offered to a plan.
type candidate struct {
	form *Checkpoint
	plan.Option
	originals []string // what it hides
}

// carryOut does what the plan says until a form is chosen.
func (d *decision) carryOut(ctx context.Context) *Checkpoint {
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
			// A record that holds too little is better than no answer. It is reported as
			// what it is.
			if d.Plan.Unproven() {
				d.work.failOpen("summary_unproven", errCoverage)
				d.folded.Outcome = plan.FoldUnproven
				return d.use(d.folded)
			}
		case plan.Leave:
			if d.Plan.Chosen == "" {
				d.Plan.Chosen = plan.Stay
			}
			return nil
		}
	}
}

// mask makes the form with more outputs masked and offers it.
func (d *decision) mask() {
	form, option, originals := d.f.maskOption(d.work.job.count, d.work.conv.Handle)
	if form == nil {
		d.Plan.OfferMasks(nil)
		return
	}
	d.masked = &candidate{form, option, originals}
	d.Plan.OfferMasks(&option)
}

// fold makes the form with more turns folded and offers it.
func (d *decision) fold(ctx context.Context) {
	form, originals, err := d.work.task().fold(ctx, d.f, d.Plan.Size)
	if form != nil {
		d.folded = &candidate{form, d.f.foldOption(form), originals}
	}
	if err == nil {
		if d.Plan.OfferFold(d.folded.Option) {
			d.folded.Outcome = form.made() // who wrote it
			return
		}
		err = errNoGain
	}
	if errors.Is(err, errCoverage) && form != nil {
		d.Plan.RejectFold(d.rejected(err), &d.folded.Option)
	} else {
		d.Plan.RejectFold(d.rejected(err), nil)
	}
}

// rejected counts why a fold is not used and returns the outcome.
func (d *decision) rejected(err error) (outcome string) {
	switch {
	case errors.Is(err, errCoverage):
		outcome = plan.RejectedCoverage
	case errors.Is(err, errPins):
		outcome = plan.RejectedPins
		d.work.failOpen("pins_do_not_fit", err)
	case errors.Is(err, errNoGain), errors.Is(err, errNothingToFold):
		outcome = plan.Stay
	default:
		outcome = plan.RejectedInvalid
		d.work.failOpen("summary_invalid", err)
	}
	d.work.res.Made = append(d.work.res.Made, outcome)
	return outcome
}

// use fills in where and when a form was made, and has what it hides kept.
func (d *decision) use(c *candidate) *Checkpoint {
	cp, w := c.form, d.work
	if d.f.cp != nil {
		// A form is keyed by what it covers, and forms are immutable: a new one
		// covers more than the one before it.
		cp.Covers = max(cp.Covers, d.f.cp.Covers+1)
	}
	cp.At, cp.Before, cp.After = d.Plan.At, d.Plan.Size, c.After
	cp.NextAt = max(w.job.budget.Trigger, c.After+w.job.budget.step())
	w.hidden = append(w.hidden, c.originals...)
	d.Plan.Chosen = c.Outcome
	w.res.Made = append(w.res.Made, c.Outcome)
	return cp
}
