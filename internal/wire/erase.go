package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"killick/cache"
	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/report"
	"killick/view"
)

// abandonTime is how long a deletion waits for the preparations of summaries that it cancels.
const abandonTime = 10 * time.Second

// abandon cancels the preparation of summaries and waits until it has ended, so that none is
// stored after the deletion.
func (e Engine) abandon(ctx context.Context, of func(who, name string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, abandonTime)
	defer cancel()
	if err := e.Abandon(ctx, of); err != nil {
		return fmt.Errorf("cancelling the preparation of summaries: %w", err)
	}
	return nil
}

// EraseConversation implements [stored.Eraser]. It finds checkpoints by the hash chain of the
// messages, under the present policy; originals by their content, and by the refs in
// checkpoints and in their lists; and reports by their form.
func (e Engine) EraseConversation(ctx context.Context, who string, req *view.Request) (int, error) {
	c := e.stored
	msgs := req.Messages()
	var refs []string
	for i := range msgs {
		refs = append(refs, c.scoped(c.secret.Ref(who, []byte(msgs[i].Text()))))
	}
	for len(msgs) > 0 && (msgs[0].Role() == view.System || msgs[0].Role() == view.Developer) {
		msgs = msgs[1:]
	}
	conv := c.Conversation(who, msgs, nil).(*conversation)
	ready := c.prepared().Conversation(who, msgs, nil).(*conversation)
	names := map[string]bool{}
	for i := range conv.chain() {
		names[conv.Name(i)] = true
		refs = append(refs, c.scoped(report.Ref(conv, i)))
	}
	if err := e.abandon(ctx, func(_, name string) bool { return names[name] }); err != nil {
		return 0, err
	}
	chains := [][]cache.Key{conv.chain(), ready.chain()}
	// If some checkpoints cannot be read, everything else is deleted nevertheless.
	named, err := c.named(ctx, c.store, who, chains...)
	defer e.ForgetLastSeen()() // otherwise it would be stored again
	n, err2 := c.store.Forget(ctx, who, chains, append(refs, named...))
	return n, errors.Join(err, err2)
}

// named returns the refs of originals that are named in checkpoints, or in lists that those name.
// Originals that were redacted or cut cannot be found by the content of the messages. The error is
// that of the first record that could not be read.
func (c *checkpoints) named(
	ctx context.Context, store Store, who string, chains ...[]cache.Key,
) (refs []string, missed error) {
	var shown []string // as in texts, without the scope
	for _, chain := range chains {
		values, err := store.Checkpoints(ctx, who, chain)
		missed = cmp.Or(missed, err)
		for _, value := range values {
			shown = append(shown, checkpoint.Refs(value)...)
		}
	}
	seen := map[string]bool{}
	for len(shown) > 0 {
		name := shown[0]
		if shown = shown[1:]; seen[name] {
			continue
		}
		seen[name] = true
		ref := c.scoped(name)
		content, err := store.Original(ctx, who, ref)
		switch {
		case errors.Is(err, cache.ErrNotFound):
			continue
		case err != nil:
			missed = cmp.Or(missed, err)
			refs = append(refs, ref)
			continue
		}
		refs, shown = append(refs, ref), append(shown, fold.Listed(content)...)
	}
	return refs, missed
}

// EraseOwner implements [stored.Eraser].
func (e Engine) EraseOwner(ctx context.Context, who string) (int, error) {
	if err := e.abandon(ctx, func(owner, _ string) bool { return owner == who }); err != nil {
		return 0, err
	}
	defer e.forgetLearned(who)()
	return e.stored.store.ForgetOwner(ctx, who)
}

// EraseAll implements [stored.Eraser].
func (e Engine) EraseAll(ctx context.Context) (int, error) {
	if err := e.abandon(ctx, func(string, string) bool { return true }); err != nil {
		return 0, err
	}
	defer e.forgetLearned("")()
	return e.stored.store.ForgetAll(ctx)
}

// forgetLearned drops what is held in memory about one client's requests; if who is empty, about
// all. It must be called before data is deleted from the store, and end afterwards.
func (e Engine) forgetLearned(who string) (end func()) {
	seen := e.ForgetLastSeen()
	return func() {
		seen()
		e.windows.forget(who)
		e.counter.Forget(who)
		e.ratios.forget(who)
	}
}
