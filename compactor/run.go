package compactor

import (
	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/compactor/settings"
	"killick/view"
)

// run is the compaction of one request.
type run struct {
	engine *Engine
	job    job
	v      *layout.View
	conv   checkpoint.Conversation
	found  *found // the last result of conv.Longest; nil if it was not called
	res    *compaction.Outcome
	made   []*checkpoint.Checkpoint // for this request, in order; only the last if not reported
	base   settings.Budget          // the budget of the job before budgetAt adapted it
	plain  int                      // up to where it is one: see budgetAt
	chosen string                   // the outcome of the last decision; "" if none was made
	hidden []checkpoint.Original    // of what was masked or folded
	cold   bool                     // the provider's cache of the conversation has expired
	cache  plan.Cache               // the facts about the provider's cache
	seen   bool                     // its first message was seen before

	deciding bool // it has one of the engine's slots

	ready checkpoint.Conversation // what was prepared; nil if no model writes
}

// found is what the store has for the longest prefix of at most so many messages.
type found struct {
	most    int
	value   []byte // nil if there is nothing
	covers  int
	renewed bool // its expiry was extended; that of what it hides must be, too
	err     error
}

// run lays out a request. Its outcome is to forward the request as received, until another is set.
func (e *Engine) run(req *view.Request, j job) *run {
	v := layout.Uncounted(req)
	v.WholeTurns = j.policy.ProtectTurns
	v.Strict = j.policy.Strict(j.model) && !req.Format().Spelling().JoinsTurns
	j.policy.Redact = j.policy.Redact.Once()
	return &run{engine: e, job: j, v: v,
		res: &compaction.Outcome{Body: req.Raw(), Reason: compaction.ReasonFits}}
}

// leftAlone has the reasons to forward requests as received, whatever their size.
var leftAlone = map[view.Passthrough]compaction.Reason{
	view.ServerState: compaction.ReasonServerState,
	view.Managed:     compaction.ReasonManaged,
}

// task returns the task of preparing the next summary of the conversation.
func (w *run) task() *prepare.Task {
	return &prepare.Task{
		Who: w.job.who, Policy: w.job.policy, Budget: w.job.budget,
		Count: w.job.count, Writers: w.job.writers, Origin: w.engine.origin,
		View: w.v, Conversation: w.conv, Prepared: w.ready, FailOpen: w.failOpen,
	}
}

func (w *run) failOpen(reason string, err error) {
	w.res.FailOpens = append(w.res.FailOpens, compaction.FailOpen{Reason: reason, Err: err})
}
