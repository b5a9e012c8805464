package compactor

import (
	"context"
	"fmt"
	"time"

	"killick/compactor/prepare"
)

// Replicas are the processes that share a Store.
type Replicas interface {
	prepare.Claims
	// LastSeen returns the last-seen times that any process stored last for a conversation of who.
	// name is that of its first message.
	LastSeen(ctx context.Context, who, name string) ([]byte, error)
}

// keepsCache returns a function that reports whether this process should keep the prompt cache of a
// conversation alive. It should not if another process has seen the conversation later or has the
// claim. A time that was not stored, because it came soon after a stored one, is unknown here: then
// the claim ensures that only one process keeps the cache alive.
func (e *Engine) keepsCache(
	who, name string, begins beginning,
) func(ctx context.Context, lasts time.Duration) bool {
	return func(ctx context.Context, lasts time.Duration) bool {
		stored, err := e.replicas.LastSeen(ctx, who, name)
		known, _ := e.lastSeen.get(name)
		there := begins.find(readLastSeen(stored))
		here := begins.find(known.times)
		if err == nil && there != nil && here != nil && there.at.After(here.at) {
			return false
		}
		claim := fmt.Sprintf("cache %s %d %d", name, begins.preamble, begins.replies)
		return e.replicas.Claim(ctx, claim, lasts)
	}
}
