package prepare

import (
	"context"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/mask"
	"killick/compactor/plan"
	"killick/compactor/trigger"
)

// preparation is one summary in the making, after the request that it started from.
type preparation struct {
	Task
	background *Background
	sent       []byte                 // the body that was forwarded for the request
	form       *checkpoint.Checkpoint // of the request, nil if none
	size       int                    // of the request in it
	limit      int                    // past which the form must change
	backoff    backoff                // to be set when it ends
	claimed    string                 // the work that this process has taken on; "" for none
	report     Report
	started    time.Time
}

// run prepares, and reports what became of it. It never panics.
func (p *preparation) run(ctx context.Context) {
	p.started = time.Now()
	p.report.WhenSent = len(p.View.Messages)
	defer func() {
		if recover() != nil { // its value may quote the conversation
			p.end(Panic, nil)
		}
	}()
	outcome, err := p.prepare(ctx)
	if ctx.Err() != nil && outcome != Prepared {
		outcome = Cancelled
	}
	p.end(outcome, err)
}

// end sets the conversation's state. What was rejected or failed cools and is tried
// again; only where nothing is left to gain is the conversation exhausted.
func (p *preparation) end(outcome string, err error) {
	p.release(outcome)
	b := p.backoff
	b.state, b.until = cooling, trigger.PrepareAgain(p.Budget, p.size)
	if outcome == NothingToGain {
		foldable := checkpoint.FoldableTokens(p.View, p.form)
		b.state, b.until = exhausted, trigger.Retry(p.Budget, foldable)
	}
	p.background.backoffs.set(b)
	p.report.Outcome, p.report.Err, p.report.Duration = outcome, err, time.Since(p.started)
	p.background.Report(p.report)
}

// prepare makes the form that a fold would have without a model, and where that would be
// used asks the model.
func (p *preparation) prepare(ctx context.Context) (string, error) {
	h := history.New(p.View, p.form, p.Budget, p.Policy)
	masks, after, _ := mask.Outputs(h, p.Count, p.Conversation.Handle)
	if masks != nil && after <= p.Budget.Target {
		return MasksSuffice, nil
	}
	old, err := fold.OldOf(h)
	if err != nil {
		return RejectedInvalid, err
	}
	k := fold.NewKeeper(h, p.Count, p.Conversation.Handle)
	room, err := fold.TailRoom(h, old, k)
	if err != nil {
		return NothingToGain, err
	}
	// The conversation grows until then, so the fold will reach further than one would
	// now: the model writes of about as many turns.
	to := h.FoldTo(room - min(max(p.limit-p.size, 0), p.Budget.Target/2))
	if to == 0 {
		return NothingToGain, nil
	}
	if p.Summarizer != nil {
		if to = p.summarized(to); to == 0 {
			return NotOffered, nil
		}
	}
	form, d, err := fold.Compose(h, old, to, k)
	if err == nil {
		err = d.Render(p.Policy.Redact)
	}
	if err == nil {
		err = d.Count(p.Count)
	}
	if err != nil {
		return RejectedInvalid, err
	}
	form.Records = append(form.Records, d.Record)
	if outcome := p.foresee(h, form); outcome != "" {
		return outcome, nil
	}
	if !p.claim(ctx) {
		return Elsewhere, nil
	}
	p.report.Folded, p.report.Record = to, shownBeside(h, d)
	if p.Summarizer != nil {
		return p.summarize(ctx, to)
	}
	turns := Turns{Messages: h.Transcript.Messages[old.Fold:to], First: old.Fold + 1}
	return p.write(ctx, turns, checkpoint.Text(old.Records), to)
}

// shownBeside is what a model is shown in the place of the turns, but for what a model wrote: the
// messages that stay as received, and the record.
func shownBeside(h *history.History, d *fold.Draft) string {
	stay := h.Policy.Redact.Of(fold.TextOfKept(h, d.Kept))
	if stay != "" {
		stay = "Messages of the user's side that stay as they came:\n" + stay + "\n"
	}
	return stay + d.Text()
}

// foresee says why the form that is made without a model would not be used, "" if it
// would be. Where it would not, neither would what a model writes.
func (p *preparation) foresee(h *history.History, form *checkpoint.Checkpoint) string {
	switch after := checkpoint.Size(p.View, form, p.View.FixedRounded()); {
	case !p.Budget.Bounds().Enough(p.size, after):
		return NothingToGain
	case !p.pays(h, form):
		return WouldNotPay
	case p.background.OnlyForWindow && p.size < trigger.ForWindow(p.Budget):
		return WouldNotPay
	}
	return ""
}

// pays reports whether a form would take the place of the present one.
func (p *preparation) pays(h *history.History, form *checkpoint.Checkpoint) bool {
	outlook := plan.NewOutlook(h.View.Answered(), false, p.Budget.Prices)
	return p.Budget.Bounds().Usable(outlook, max(p.size, p.limit), fold.Option(h, form))
}
