package prepare

import (
	"context"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/summary"
)

// Fold replaces turns by a record of what they hold by structure, with what a model has
// written of these turns in the meantime, where that leaves enough of the gain. size is
// that of the request in its present form. It returns the new form with the originals
// that it hides, and with [fold.ErrCoverage] one that holds too little.
func (t *Task) Fold(
	ctx context.Context, h *history.History, size int,
) (*checkpoint.Checkpoint, []string, error) {
	cp, d, err := fold.Make(h, t.Count, t.Conversation.Handle)
	if cp == nil {
		return nil, nil, err
	}
	full, failed := t.withStatements(ctx, h, *cp, d)
	if failed != nil {
		t.FailOpen("prepared_refused", failed)
	}
	if full == nil {
		return cp, d.Originals, err
	}
	after := checkpoint.Size(h.View, full, h.View.FixedRounded()) +
		checkpoint.ModelTokens(full.Records)
	if t.Budget.Bounds().Enough(size, after) {
		return full, d.Originals, err
	}
	return cp, d.Originals, err
}

// withStatements returns cp with what models wrote in its last record, whose draft is
// d; nil if that cannot be rendered. Decisions count the record without it.
func (t *Task) withStatements(
	ctx context.Context, h *history.History, cp checkpoint.Checkpoint, d *fold.Draft,
) (*checkpoint.Checkpoint, error) {
	old, next := fold.Old(h), t.forFold(ctx, h)
	var newer []summary.Statement
	var result *compaction.ModelProbe
	if next != nil {
		newer, result, cp.Written = next.Statements, next.Probe, next.Form
	}
	all := append(newer[:len(newer):len(newer)], old.Summary.Statements...)
	all = all[:min(len(all), maxStatements)]
	shown := all
	if len(cp.Records) > 1 { // the records before hold the older ones
		shown = newer
	}
	sum := *cp.Summary
	sum.Statements = all
	cp.Summary = &sum
	if len(all) > len(newer) && old.Probe != nil && worse(old.Probe.Model, result) {
		carried := *old.Probe.Model
		carried.Carried, result = true, &carried
	}
	if cp.Probe != nil {
		p := *cp.Probe
		p.Model = result
		cp.Probe = &p
	} else if result != nil {
		cp.Probe = &compaction.Probe{Model: result}
	}
	if len(shown) == 0 {
		return &cp, nil
	}
	full, with := *d, *d.Summary
	full.Summary, with.Statements = &with, summary.Fitting(shown, d.Room.Summary/2)
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
	return &cp, nil
}

// worse reports whether what was verified at an earlier fold is what is to be
// reported: statements that are carried keep the verdict that they were given.
func worse(older, newer *compaction.ModelProbe) bool {
	rank := map[compaction.Verdict]int{
		compaction.Pass: 0, compaction.SoftFail: 1, compaction.Unprobed: 2, compaction.HardFail: 3,
	}
	return older != nil && (newer == nil || rank[older.Verdict] > rank[newer.Verdict])
}

// forFold returns what was prepared for the fold that takes the place of the form so far,
// nil if there is nothing.
func (t *Task) forFold(ctx context.Context, h *history.History) *stored {
	if t.Prepared == nil {
		return nil
	}
	// What was prepared when the conversation was as long as this is not used: the
	// request that started it, sent again, must give the same bytes.
	next, err := t.load(ctx, len(h.View.Messages), h.Form, len(h.View.Messages)-1)
	if err != nil {
		t.FailOpen("prepared_read", err)
	}
	return next
}

// load returns what was prepared upon cp, of at most so many messages, at a
// conversation of at most before.
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
