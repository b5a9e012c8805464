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
	j := e.jobFor(req, who)
	v := layout.New(req, j.count)
	v.Split()
	out := compaction.Outcome{}
	w := run{
		engine: e, job: j, v: v, res: &out,
		conv: e.store.Conversation(who, v.Messages, req.Memory()),
	}
	if !w.admit(ctx) {
		return compaction.Record{}, fmt.Errorf("making a record of a conversation: %w", errBusy)
	}
	defer w.leave()
	h := history.New(v, nil, j.budget, j.policy)
	text, originals, err := fold.All(h, j.count, w.conv.Ref)
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
		Text: text, Input: v.Total(), Size: j.count.Text(text), FailOpens: out.FailOpens,
	}, nil
}
