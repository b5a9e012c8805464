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
	"killick/probe"
)

// run prepares the summary and reports the outcome. It never panics.
func (p *preparation) run(ctx context.Context) {
	p.started = time.Now()
	p.report.WhenSent = len(p.View.Messages)
	defer func() {
		if recover() != nil { // the value is not logged: it may quote the conversation
			p.end(Panic, nil)
		}
	}()
	outcome, err := p.prepare(ctx)
	if ctx.Err() != nil && outcome != Prepared {
		outcome = Cancelled
	}
	p.end(outcome, err)
}

// end sets the conversation's backoff and reports. After NothingToGain the conversation is
// exhausted, after any other outcome it is cooling.
func (p *preparation) end(outcome string, err error) {
	p.release(outcome)
	b := p.backoff
	b.state, b.until = cooling, trigger.PrepareAgain(p.Budget, p.size)
	if outcome == NothingToGain {
		foldable := checkpoint.FoldableTokens(p.View, p.form)
		b.state, b.until = exhausted, trigger.Retry(p.Budget, foldable)
	}
	p.backoffs.set(b)
	p.report.Outcome, p.report.Err, p.report.Duration = outcome, err, time.Since(p.started)
	p.options.Report(p.report)
}

// prepare makes the form of a fold without a model and, if it would be used, asks the model.
func (p *preparation) prepare(ctx context.Context) (string, error) {
	h := history.New(p.View, p.form, p.Budget, p.Policy)
	masks, after, _ := mask.Outputs(h, p.Count, p.Conversation.Ref)
	if masks != nil && after <= p.Budget.Target {
		return MasksSuffice, nil
	}
	old, err := fold.OldOf(h)
	if err != nil {
		return RejectedInvalid, err
	}
	k := fold.NewKeeper(h, p.Count, p.Conversation.Ref)
	to, err := p.frontier(h, old, k)
	if to == 0 {
		return NothingToGain, err
	}
	if p.Summarizer != nil {
		if to = p.summarized(to); to == 0 {
			return NotOffered, nil
		}
	}
	form, d, err := p.withoutModel(h, old, to, k)
	if err != nil {
		return RejectedInvalid, err
	}
	if outcome := p.outcomeWithoutModel(h, form); outcome != "" {
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
	p.whole = probe.NewConversation(p.View.Originals(), p.Policy.Redact.Of)
	p.takenBack = p.outdated(repeated(d, len(form.Records)))
	return p.write(ctx, turns, checkpoint.Text(old.Records), to)
}

// frontier returns the message before which turns are expected to be folded, 0 if there are none to
// fold. By the time of the fold the conversation will have grown to the limit, and the fold will
// reach further than it would now.
func (p *preparation) frontier(h *history.History, old *fold.Old, k *fold.Keeper) (int, error) {
	room, err := fold.TailRoom(h, old, k)
	if err != nil {
		return 0, err
	}
	return h.FoldTo(room - min(max(p.limit-p.size, 0), p.Budget.Target/2)), nil
}

// withoutModel returns the form of a fold by rules, with the draft of its last record.
func (p *preparation) withoutModel(
	h *history.History, old *fold.Old, to int, k *fold.Keeper,
) (*checkpoint.Checkpoint, *fold.Draft, error) {
	form, d, err := fold.Compose(h, old, to, k)
	if err != nil {
		return nil, nil, err
	}
	if err := d.Render(p.Policy.Redact); err != nil {
		return nil, nil, err
	}
	if err := d.Count(p.Count); err != nil {
		return nil, nil, err
	}
	form.Records = append(form.Records, d.Record)
	return form, d, nil
}

// shownBeside returns the text from which a model answers questions, in addition to its own
// statements: the messages that are kept, and the record.
func shownBeside(h *history.History, d *fold.Draft) string {
	stay := h.Policy.Redact.Of(fold.TextOfKept(h, d.Kept))
	if stay != "" {
		stay = "Messages of the user's side that stay as they came:\n" + stay + "\n"
	}
	return stay + d.Text()
}

// outcomeWithoutModel returns the outcome if the form without a model's statements would not be
// used, and "" if it would. If it would not, neither would a form with them.
func (p *preparation) outcomeWithoutModel(h *history.History, form *checkpoint.Checkpoint) string {
	switch after := checkpoint.Size(p.View, form, p.View.PreambleRounded()); {
	case !p.Budget.Bounds().Enough(p.size, after):
		return NothingToGain
	case !p.pays(h, form):
		return WouldNotPay
	case p.options.OnlyForWindow && p.size < trigger.ForWindow(p.Budget):
		return WouldNotPay
	}
	return ""
}

// pays reports whether a form would replace the present one.
func (p *preparation) pays(h *history.History, form *checkpoint.Checkpoint) bool {
	outlook := plan.NewOutlook(h.View.Answered(), false, p.Budget.Prices)
	return p.Budget.Bounds().Usable(outlook, max(p.size, p.limit), fold.Option(h, form))
}
