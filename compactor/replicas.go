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
	// Visits returns what a conversation of who keeps by KeepVisits at this moment, by whatever
	// process; name is that of its first message.
	Visits(ctx context.Context, who, name string) ([]byte, error)
}

// keepsCache returns what reports whether this process is the one to keep the prompt cache of a
// conversation alive. It is not where another has seen the conversation later, or claimed this. A
// visit that is not stored since it came soon after another one is not known here: then the claim
// sees to it that one process keeps the cache alive.
func (e *Engine) keepsCache(
	who, name string, leading uint64,
) func(ctx context.Context, lasts time.Duration) bool {
	return func(ctx context.Context, lasts time.Duration) bool {
		stored, err := e.replicas.Visits(ctx, who, name)
		known, _, _ := e.visits.get(name)
		there, here := findVisit(readVisits(stored), leading), findVisit(known.visits, leading)
		if err == nil && there != nil && here != nil && there.at.After(here.at) {
			return false
		}
		return e.replicas.Claim(ctx, fmt.Sprintf("cache %s %d", name, leading), lasts)
	}
}
