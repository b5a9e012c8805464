package wire

import (
	"context"

	"killick/cache/shared"
)

// namedBy returns the refs that this replica's own forms of a conversation name which another has
// forgotten: it may have forms that no other replica knows.
func (e Engine) namedBy(ctx context.Context, own Store, event shared.Event) []string {
	refs, _ := e.stored.named(ctx, own, event.Who, event.Keys) // what can be read of them
	return refs
}

// receive applies an event of another replica: what is in memory or being prepared of what was
// forgotten there is forgotten here, and what was learned there is known here.
func (e Engine) receive(event shared.Event) {
	switch event.Kind {
	case shared.ForgetConversation:
		e.ForgetLastSeen()()
		names := map[string]bool{}
		for _, key := range event.Keys {
			names[string(key[:])] = true
		}
		_ = e.abandon(context.Background(), func(_, name string) bool { return names[name] })
	case shared.ForgetOwner:
		e.forgetLearned(event.Who)()
		_ = e.abandon(context.Background(), func(who, _ string) bool { return who == event.Who })
	case shared.ForgetAll:
		e.forgetLearned("")()
		_ = e.abandon(context.Background(), func(string, string) bool { return true })
	case shared.Fact:
		e.applyFact(&event)
	}
}
