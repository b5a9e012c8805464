package prepare

import (
	"cmp"
	"context"
	"slices"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/summary"
)

// Fold replaces turns by a record made by rules, together with the statements or the provider's
// summary that were prepared for these turns, if the form then still saves enough. size is the size
// of the request in its present form. Fold returns the new form and the originals that it replaces;
// a form that covers too little is returned with [fold.ErrCoverage].
func (t *Task) Fold(
	ctx context.Context, h *history.History, size int,
) (*checkpoint.Checkpoint, []checkpoint.Original, error) {
	next := t.forFold(ctx, h)
	if cp, originals := t.withProvider(h, next, size); cp != nil {
		return cp, originals, nil
	}
	cp, d, err := fold.Make(h, t.Count, t.Conversation.Ref)
	if cp == nil {
		return nil, nil, err
	}
	full, failed := t.withStatements(next, h, cp, d)
	if failed != nil {
		t.FailOpen("prepared_refused", failed)
	}
	if full == nil {
		return cp, d.Originals, err
	}
	after := checkpoint.Size(h.View, full, h.View.PreambleRounded()) +
		checkpoint.ModelTokens(full.Records)
	if t.Budget.Bounds().Enough(size, after) {
		return full, d.Originals, err
	}
	return cp, d.Originals, err
}

// withStatements returns form with models' statements in its last record, whose draft is d. It
// returns nil if that cannot be rendered. Decisions count the record without the statements.
func (t *Task) withStatements(
	next *stored, h *history.History, form *checkpoint.Checkpoint, d *fold.Draft,
) (*checkpoint.Checkpoint, error) {
	details, err := form.Details()
	if err != nil {
		return nil, err
	}
	var newer []summary.Statement
	var result *compaction.ModelProbe
	written, carried := "", d.Carried
	if next != nil && next.Provider == nil {
		newer, result, written = next.Statements, next.Probe, next.Form
		carried = without(carried, next.TakenBack)
	}
	all := slices.Concat(newer, carried)
	all = all[:min(len(all), maxStatements)]
	shown := all
	if len(form.Records) > 1 { // the earlier records contain the older statements
		shown = newer
	}
	sum := *details.Summary
	sum.Statements, details.Summary = all, &sum
	cp := form.WithDetails(details)
	cp.Written = written
	if len(all) > len(newer) {
		result = worse(h.Form.Probe, result)
	}
	cp.Probe = withModel(cp.Probe, result)
	if len(shown) == 0 {
		return cp, nil
	}
	full, with := *d, *d.Summary
	full.Summary, with.Statements = &with, inOrder(summary.Fitting(shown, d.Room.Summary/2))
	if err := full.Render(t.Policy.Redact); err != nil {
		return nil, err
	}
	if err := full.Count(t.Count); err != nil {
		return nil, err
	}
	last := len(cp.Records) - 1
	cp.Records = append(cp.Records[:last:last], checkpoint.Record{
		Kept: d.Kept, Raw: full.Raw, Tokens: d.Tokens,
		Plain: d.Raw, ModelTokens: max(0, full.Tokens-d.Tokens),
	})
	return cp, nil
}

// inOrder returns statements in the order of their first messages: what a later one says replaces
// what an earlier one says.
func inOrder(statements []summary.Statement) []summary.Statement {
	return slices.SortedStableFunc(slices.Values(statements), func(a, b summary.Statement) int {
		return cmp.Compare(firstOf(a.Messages), firstOf(b.Messages))
	})
}

// firstOf returns the first of numbers in order, 0 without any.
func firstOf(numbers []int) int {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[0]
}

// worse returns the worse of two verification results: that of statements from an earlier fold,
// which keep their verdict, and that of the newer statements.
func worse(earlier *compaction.Probe, newer *compaction.ModelProbe) *compaction.ModelProbe {
	if earlier == nil || earlier.Model == nil ||
		newer != nil && rank(earlier.Model.Verdict) <= rank(newer.Verdict) {
		return newer
	}
	carried := *earlier.Model
	carried.Carried = true
	return &carried
}

// rank returns the place of a verdict, 0 for the best.
func rank(v compaction.Verdict) int {
	return slices.Index([]compaction.Verdict{
		compaction.Pass, compaction.SoftFail, compaction.Unprobed, compaction.HardFail,
	}, v)
}

// withModel returns p with the result for a model's statements.
func withModel(p *compaction.Probe, result *compaction.ModelProbe) *compaction.Probe {
	if p == nil && result == nil {
		return nil
	}
	var with compaction.Probe
	if p != nil {
		with = *p
	}
	with.Model = result
	return &with
}

// forFold returns what was prepared for the fold that follows the present form, nil if there is
// nothing.
func (t *Task) forFold(ctx context.Context, h *history.History) *stored {
	if t.Prepared == nil {
		return nil
	}
	// What was prepared at this length of the conversation is not used: if the request that
	// started the preparation is sent again, the same bytes must be forwarded.
	next, err := t.load(ctx, len(h.View.Messages), h.Form, len(h.View.Messages)-1)
	if err != nil {
		t.FailOpen("prepared_read", err)
	}
	return next
}

// load returns what was prepared after the form cp, about at most most messages, when the
// conversation had at most before messages; nil if there is nothing.
func (t *Task) load(
	ctx context.Context, most int, cp *checkpoint.Checkpoint, before int,
) (*stored, error) {
	for most > 0 {
		value, covers, _, err := t.Prepared.Longest(ctx, most)
		if err != nil || value == nil {
			return nil, err
		}
		next, err := decodeStored(value, covers)
		if err != nil {
			return nil, err
		}
		if next.At <= before && next.Base == checkpoint.BaseOf(cp) {
			return next, nil
		}
		most = covers - 1
	}
	return nil, nil
}
