package shared

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"killick/cache"
)

// position is the event that was received last. It is stored locally, so that a restarted replica
// continues there.
type position struct {
	mu   sync.Mutex
	last string
	ms   atomic.Int64 // when the last received event was added, by the store's clock; else 0
}

// positionKey is the local key of the position.
func positionKey() (key cache.Key) {
	copy(key[:], "events of the shared store")
	return key
}

// load starts at the stored position, else as far back as the local store may go.
func (p *position) load(ctx context.Context, near *cache.Store, ttl time.Duration) {
	stored, err := near.LastSeen(ctx, positionKey())
	if p.last = string(stored); err != nil || !validID(p.last) {
		p.last = strconv.FormatInt(time.Now().Add(-ttl).UnixMilli(), 10) + "-0"
	}
}

func (p *position) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func validID(id string) bool {
	ms, n, ok := strings.Cut(id, "-")
	_, err1 := strconv.ParseUint(ms, 10, 64)
	_, err2 := strconv.ParseUint(n, 10, 64)
	return ok && err1 == nil && err2 == nil
}

// before reports whether an event's ID is before another's.
func before(a, b string) bool {
	ms1, n1, _ := strings.Cut(a, "-")
	ms2, n2, _ := strings.Cut(b, "-")
	if ms1 != ms2 {
		return number(ms1) < number(ms2)
	}
	return number(n1) < number(n2)
}

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64)
	return n
}
