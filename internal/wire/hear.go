package wire

import (
	"context"

	"killick/cache/shared"
)

// hear does what an event of another replica asks for: what is in memory or being prepared of what
// was forgotten there is forgotten here.
func (e Engine) hear(event shared.Event) {
	switch event.Kind {
	case shared.ForgetConversation:
		e.ForgetVisits()
	case shared.ForgetOwner:
		e.forgetLearned(event.Who)
		_ = e.abandon(context.Background(), func(who, _ string) bool { return who == event.Who })
	case shared.ForgetAll:
		e.forgetLearned("")
		_ = e.abandon(context.Background(), func(string, string) bool { return true })
	}
}
