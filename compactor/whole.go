package compactor

import (
	"context"
	"errors"
	"fmt"

	"killick/compaction"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/view"
)

// Record returns a record of all turns of a request of the credential who, whatever its size. It is
// derived from structure; no model writes in it. Only the originals that it names are stored. If
// the request has no turns, the error is [compaction.ErrNothing].
//
// The record is for a client that keeps the user messages: it does not repeat them.
func (e *Engine) Record(
	ctx context.Context, req *view.Request, who string,
) (compaction.Record, error) {
	model := req.Model()
	c, policy := e.counter(who, model), e.settings.For(model)
	v := layout.New(req, c)
	v.Redact = policy.Redact
	v.Split()
	out := compaction.Outcome{}
	w := run{
		engine: e, v: v, res: &out,
		conv: e.store.Conversation(who, v.Messages, req.Memory()),
		job: job{who: who, model: model, policy: policy, count: c,
			budget: e.budget(policy, who, model, c.Ratio(req.Raw()), req.MaxOutput(),
				e.costs(model))},
	}
	if !w.admit(ctx) {
		return compaction.Record{}, fmt.Errorf("making a record of a conversation: %w", errBusy)
	}
	defer w.leave()
	h := history.New(v, nil, w.job.budget, policy)
	text, originals, err := fold.Whole(h, c, w.conv.Handle)
	switch {
	case errors.Is(err, fold.ErrNothing):
		return compaction.Record{}, compaction.ErrNothing
	case errors.Is(err, fold.ErrCoverage):
		w.failOpen("summary_unproven", err) // it is better than none
	case err != nil:
		return compaction.Record{}, fmt.Errorf("making a record of a conversation: %w", err)
	}
	w.keepOriginals(ctx, originals, nil)
	return compaction.Record{
		Text: text, Input: v.Total(), Size: c.Text(text), FailOpens: out.FailOpens,
	}, nil
}
