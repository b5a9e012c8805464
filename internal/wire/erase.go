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

// abandonTime is how long the forgetting of data waits for summaries of it that
// are being prepared. They end at once: what they wait for is cancelled.
const abandonTime = 10 * time.Second

// abandon ends what is being prepared, so that nothing of it is stored after it
// was forgotten.
func (e Engine) abandon(ctx context.Context, of func(who, name string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, abandonTime)
	defer cancel()
	if err := e.Abandon(ctx, of); err != nil {
		return fmt.Errorf("ending what is being prepared: %w", err)
	}
	return nil
}

// EraseConversation implements [proxy.Eraser]. Checkpoints are found by the
// chain of the messages, under the policy of today; originals by their content, by the handles
// that the checkpoints and their lists name, reports by their form.
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
	// What can be forgotten is, also where not all could be asked for that names something.
	named, err := c.named(ctx, c.store, who, chains...)
	defer e.ForgetLastSeen()() // else their memory would be stored again
	n, err2 := c.store.Forget(ctx, who, chains, append(refs, named...))
	return n, errors.Join(err, err2)
}

// named returns what checkpoints in a store name of what is kept for who, and what lists of it
// name: under redaction, or cut, it is not what is in the messages. The error is of what could not
// be read.
func (c *checkpoints) named(
	ctx context.Context, store Store, who string, chains ...[]cache.Key,
) (refs []string, missed error) {
	var handles []string
	for _, chain := range chains {
		values, err := store.Checkpoints(ctx, who, chain)
		missed = cmp.Or(missed, err)
		for _, value := range values {
			handles = append(handles, checkpoint.Handles(value)...)
		}
	}
	seen := map[string]bool{}
	for len(handles) > 0 {
		handle := handles[0]
		if handles = handles[1:]; seen[handle] {
			continue
		}
		seen[handle] = true
		ref := c.scoped(handle)
		content, err := store.Original(ctx, who, ref)
		switch {
		case errors.Is(err, cache.ErrNotFound):
			continue
		case err != nil:
			missed = cmp.Or(missed, err)
			refs = append(refs, ref)
			continue
		}
		refs, handles = append(refs, ref), append(handles, fold.Listed(content)...)
	}
	return refs, missed
}

// EraseOwner implements [proxy.Eraser].
func (e Engine) EraseOwner(ctx context.Context, who string) (int, error) {
	if err := e.abandon(ctx, func(owner, _ string) bool { return owner == who }); err != nil {
		return 0, err
	}
	defer e.forgetLearned(who)()
	return e.stored.store.ForgetOwner(ctx, who)
}

// EraseAll implements [proxy.Eraser].
func (e Engine) EraseAll(ctx context.Context) (int, error) {
	if err := e.abandon(ctx, func(string, string) bool { return true }); err != nil {
		return 0, err
	}
	defer e.forgetLearned("")()
	return e.stored.store.ForgetAll(ctx)
}

// forgetLearned drops what is kept in memory of one client's requests, for an empty who of all. It
// is called before data is deleted from the store, and end afterwards.
func (e Engine) forgetLearned(who string) (end func()) {
	seen := e.ForgetLastSeen()
	return func() {
		seen()
		e.windows.forget(who)
		e.counter.Forget(who)
		e.ratios.forget(who)
	}
}
