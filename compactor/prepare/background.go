package prepare

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/trigger"
)

// A model takes longer to write a summary than a request may wait. So it is asked in the
// background, once a conversation exceeds a threshold between target and trigger, and after
// its own request has filled the provider's prompt cache. It writes about the turns that the
// next fold will probably replace. The result is stored separately from the forms in use,
// where the request that crosses the trigger finds it.

// Background has models write in the background, for one engine. It is safe for concurrent use.
type Background struct {
	Options
	*pool
	Store    checkpoint.Store // of prepared summaries
	backoffs *backoffs
}

// New returns a Background that keeps prepared summaries in store.
func New(o Options, store checkpoint.Store) *Background {
	return &Background{
		Options: o.WithDefaults(), Store: store, pool: newPool(), backoffs: newBackoffs(),
	}
}

// After returns the function to call when a request in the form cp was answered, nil if
// nothing is to be prepared. limit is the size past which the form must change. ok means
// that the upstream accepted the request: only then can more be appended to it.
func (b *Background) After(
	ctx context.Context, t Task, cp *checkpoint.Checkpoint, sent []byte, limit int,
) func(ok bool) {
	if t.Author == nil && t.Summarizer == nil || t.Prepared == nil {
		return nil
	}
	n := len(t.View.Messages)
	size := checkpoint.Size(t.View, cp, t.View.PreambleRounded())
	if size <= trigger.Prepare(t.Policy, t.Budget, limit) || !t.View.AtDecision() {
		return nil
	}
	known := b.backoffs.get(n, t.Conversation.Name).on(checkpoint.BaseOf(cp))
	if known.at(size, checkpoint.FoldableTokens(t.View, cp)) != ready {
		return nil
	}
	if b.pool.get(n, t.Conversation.Name) != nil {
		return nil
	}
	if next, _ := t.load(ctx, n, cp, n); next != nil {
		return nil
	}
	p := &preparation{
		Task: t, options: &b.Options, backoffs: b.backoffs,
		sent: sent, form: cp, size: size, limit: limit,
		backoff: backoff{name: t.Conversation.Name(n), base: checkpoint.BaseOf(cp)},
	}
	held := len(sent) + len(t.View.Request.Raw())
	j := b.pool.reserve(t.Who, p.backoff.name, n, held, p.run)
	if j == nil {
		t.FailOpen("prepare_no_room", nil)
		return nil
	}
	return func(ok bool) {
		if ok {
			j.start()
		} else {
			j.drop()
		}
	}
}
