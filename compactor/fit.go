package compactor

import (
	"context"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/prepare"
	"killick/compactor/report"
	"killick/compactor/trigger"
	"killick/compactor/truncate"
	"killick/transcript/speech"
	"killick/view"
)

// Compact fits a request of the credential who. It never fails: errors are in FailOpens, and Body
// is then the best valid form.
func (e *Engine) Compact(ctx context.Context, req *view.Request, who string) compaction.Outcome {
	return e.CompactFor(ctx, req, who, prepare.Writers{})
}

// CompactFor is Compact with the models that may write the next summary of the conversation.
func (e *Engine) CompactFor(
	ctx context.Context,
	req *view.Request,
	who string,
	writers prepare.Writers,
) compaction.Outcome {
	j := e.jobFor(req, who)
	j.writers = writers
	return e.fit(ctx, req, j)
}

// fit brings a request under its budget as far as possible.
func (e *Engine) fit(ctx context.Context, req *view.Request, j job) compaction.Outcome {
	w := e.run(req, j)
	w.v.CountPreamble(j.count)
	w.job.budget = j.budget.Beside(w.v.PreambleRounded())
	if w.fitsWarm(ctx) || w.leavesAlone(ctx) {
		return *w.res
	}
	w.v.Split()
	if w.base = w.job.budget; w.base.Derived {
		w.plain = w.plainUntil()
	}
	w.job.budget = w.budgetAt(len(w.v.Messages))
	w.open(ctx)
	truncates := w.truncate(ctx)
	if w.late(ctx) {
		return *w.res
	}
	cp := w.withoutProvider(ctx, w.form(ctx))
	if w.render(cp) {
		w.res.Reused = len(w.made) == 0 && !truncates
	}
	w.prepare(ctx, cp)
	return *w.res
}

// leavesAlone counts a request, and reports whether it is forwarded as received.
func (w *run) leavesAlone(ctx context.Context) bool {
	v, res := w.v, w.res
	if !v.CountWithin(ctx, w.job.count) {
		return w.late(ctx)
	}
	res.Raw, res.Sent = v.Total(), v.Total()
	if reason, ok := leftAlone[v.Rules.Passthrough]; ok {
		res.Reason = reason
		return true
	}
	if res.Raw <= trigger.Inspect(w.job.policy, w.job.budget) {
		return true
	}
	if res.Raw <= w.job.budget.Window && speech.IsCompactionRequest(v.Messages) {
		res.Reason = compaction.ReasonOwn
		return true
	}
	return w.late(ctx)
}

// late reports whether the deadline has passed, or the client has disconnected. The request is then
// forwarded as received: nobody waits for what the next steps would make. What earlier steps found
// is remembered for the next request.
func (w *run) late(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	w.res.Reason = compaction.ReasonFailedOpen
	w.failOpen("deadline", ctx.Err())
	return true
}

// truncate replaces outputs that are oversized when they arrive by short forms. It reports whether
// any of them is new.
func (w *run) truncate(ctx context.Context) bool {
	d := truncate.Pass{
		Policy: &w.job.policy,
		Limit:  w.job.budget.TruncateOver,
		After:  w.job.budget.TruncateAfter,
		Count:  w.job.count,
		RefOf:  w.conv.Ref,
	}
	d.Apply(w.v)
	w.keepOriginals(ctx, d.Originals, nil)
	return len(d.Originals) > 0
}

// form returns the form of the conversation after the decisions that are due, nil if it has none.
func (w *run) form(ctx context.Context) *checkpoint.Checkpoint {
	budget, size := w.job.budget, w.v.Total()
	if w.cache.Lifetime > 0 && w.res.Raw > trigger.Compact(budget, 0, true) {
		w.res.ColdTokens = budget.Target
	}
	if size <= trigger.Formed(budget) {
		return nil
	}
	known := w.load(ctx)
	if known == nil && size <= trigger.Compact(budget, 0, w.cold) {
		return nil
	}
	w.res.Reason = compaction.ReasonNoGain
	w.res.Refetched = history.Refetched(w.v, known)
	return w.updateForm(ctx, known)
}

// render makes the body of a form and sets the outcome. cp is nil if only outputs are truncated. It
// reports whether the body is smaller than the request as received.
func (w *run) render(cp *checkpoint.Checkpoint) bool {
	v, res := w.v, w.res
	form := cp
	if form == nil {
		form = &checkpoint.Checkpoint{}
	}
	in, sent := checkpoint.SentAs(v, form, w.job.count)
	if sent > w.job.budget.Window && checkpoint.ModelTokens(form.Records) > 0 {
		form = form.Plain()
		in, sent = checkpoint.SentAs(v, form, w.job.count)
	}
	if cp == nil && len(v.Truncated) == 0 || sent >= res.Raw {
		return false
	}
	filled := history.Filled(v, form, w.job.budget.Window, w.job.count)
	if sent += history.AnswerStubs(v, filled); sent >= res.Raw {
		return false
	}
	res.Body, res.Sent = checkpoint.Render(v, form, in), sent
	res.Reason = compaction.ReasonTruncated
	res.Masked = len(v.Truncated) > 0
	if cp != nil {
		res.Masked = res.Masked || len(cp.Masks) > 0
		res.Folded, res.Probe, res.Dropped = cp.Fold > 0, cp.Probe, cp.Dropped
		res.Reason = compaction.ReasonCompacted
		res.Provider = cp.Provider != nil
		if res.Folded {
			res.SummaryRef = report.Ref(w.conv, cp.Covers)
		}
	}
	res.Dropped = checkpoint.AddDropped(res.Dropped, checkpoint.TruncatedBeyond(v, cp))
	return true
}

// prepare has the next summary written after the reply, if a model writes.
func (w *run) prepare(ctx context.Context, cp *checkpoint.Checkpoint) {
	if w.engine.writing == nil {
		return
	}
	past := trigger.Compact(w.job.budget, nextSize(cp), false)
	w.res.After = w.engine.writing.After(ctx, *w.task(), cp, w.res.Body, past)
}
