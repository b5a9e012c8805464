package wire

import (
	"context"

	"killick/cache/shared"
)

// namedBy returns the refs in this replica's own forms of a conversation that another replica has
// deleted: it may have forms that no other replica knows.
func (e Engine) namedBy(ctx context.Context, own Store, event shared.Event) []string {
	refs, _ := e.stored.named(ctx, own, event.Who, event.Keys) // of the forms that can be read
	return refs
}

// endFor ends the preparation of summaries of what another replica has deleted, so that none is
// stored afterwards.
func (e Engine) endFor(ctx context.Context, event shared.Event) {
	names := map[string]bool{}
	for _, key := range event.Keys {
		names[string(key[:])] = true
	}
	// A summary that does not end within the time-out is not waited for.
	_ = e.abandon(ctx, func(who, name string) bool {
		switch event.Kind {
		case shared.ForgetAll:
			return true
		case shared.ForgetOwner:
			return who == event.Who
		}
		return names[name]
	})
}

// receive applies an event of another replica to what this one holds in memory: it drops what was
// deleted, and adopts what was learned.
func (e Engine) receive(event shared.Event) {
	switch event.Kind {
	case shared.ForgetConversation:
		e.ForgetLastSeen()()
	case shared.ForgetOwner:
		e.forgetLearned(event.Who)()
	case shared.ForgetAll:
		e.forgetLearned("")()
	case shared.Fact:
		e.applyFact(&event)
	}
}

// applyFact adopts a fact that another replica announced.
func (e Engine) applyFact(f *shared.Event) {
	switch f.Topic {
	case windowTopic:
		e.windows.receive(f.Who, f.Value)
	case ratioTopic:
		e.ratios.receive(f.Who, f.Value)
	}
}
