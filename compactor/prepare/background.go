package prepare

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/compactor/trigger"
)

// A summary by a model takes longer than a request may wait. Past a soft mark between
// target and trigger a model is asked in the background, after the conversation's own
// request has filled the provider's prompt cache, and what it writes of the turns that
// the next fold will take is kept apart from the forms in use. The request that crosses
// the trigger finds it there.

// Background has models write. It is for one engine, and is used by many goroutines.
type Background struct {
	Options
	Store    checkpoint.Store // of what is prepared
	pool     *pool
	backoffs *backoffs
}

// New returns a Background that keeps what is prepared in store.
func New(o Options, store checkpoint.Store) *Background {
	return &Background{
		Options: o.WithDefaults(), Store: store, pool: newPool(), backoffs: newBackoffs(),
	}
}

// Task is a conversation for which a model may write.
type Task struct {
	Who    string
	Policy settings.Policy
	Budget settings.Budget
	Count  layout.Counter
	Writers
	Origin string // the upstream that the request goes to
	View   *layout.View

	Conversation checkpoint.Conversation
	Prepared     checkpoint.Conversation // of what is prepared; nil where no model writes

	FailOpen func(reason string, err error)
}

// After returns what to call when a request in the form cp has been answered, nil where
// nothing is to be prepared. limit is the size past which the form must change. ok says
// that the upstream accepted the request: only then does it make sense to append to it.
func (b *Background) After(
	ctx context.Context, t Task, cp *checkpoint.Checkpoint, sent []byte, limit int,
) func(ok bool) {
	if t.Author == nil && t.Summarizer == nil || t.Prepared == nil {
		return nil
	}
	n := len(t.View.Messages)
	size := checkpoint.Size(t.View, cp, t.View.FixedRounded())
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
		Task: t, background: b, sent: sent, form: cp, size: size, limit: limit,
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

// Close ends what is being prepared, and waits for it.
func (b *Background) Close() { b.pool.close() }

// Abandon ends what is being prepared of the conversations that a function chooses by their owner
// and by the name of a prefix, and returns when nothing of them is left.
func (b *Background) Abandon(ctx context.Context, chosen func(who, name string) bool) error {
	return b.pool.end(ctx, chosen)
}

// Wait returns when what is being prepared now is ready, or has come to nothing.
func (b *Background) Wait(ctx context.Context) error { return b.pool.wait(ctx) }

// Jobs is how many summaries are being prepared, or wait to be.
func (b *Background) Jobs() int { return b.pool.size() }
