package endpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// maxEndpoints bounds what is remembered about endpoints and their models, whose names
// clients choose. Past it everything is dropped, and learned again.
const maxEndpoints = 1024

// breaker stops requests to one endpoint's model after failures in a row.
type breaker = gobreaker.CircuitBreaker[answer]

// breakers are those of all endpoints and models.
type breakers struct {
	tripAfter uint32
	cooldown  time.Duration

	mu  sync.Mutex
	all map[[sha256.Size]byte]*breaker
}

// get returns the breaker of a target's endpoint and model.
func (b *breakers) get(t Target) *breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := t.name()
	if known, ok := b.all[name]; ok {
		return known
	}
	if b.all == nil || len(b.all) >= maxEndpoints {
		b.all = map[[sha256.Size]byte]*breaker{}
	}
	fresh := gobreaker.NewCircuitBreaker[answer](gobreaker.Settings{
		Timeout:     b.cooldown,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= b.tripAfter },
		// An endpoint that rejects a request works. A caller that disconnected, and a
		// conversation that has reached its limit, say nothing about the endpoint.
		IsSuccessful: func(err error) bool { return err == nil || !errors.Is(err, ErrUnavailable) },
		IsExcluded: func(err error) bool {
			return errors.Is(err, context.Canceled) || errors.Is(err, errBusyForOne) ||
				errors.Is(err, ErrLimit)
		},
	})
	b.all[name] = fresh
	return fresh
}

// errBusyForOne marks a 429 to a client's own key, which says nothing about the
// endpoint's health for others.
var errBusyForOne = errors.New("too many requests for this key")
