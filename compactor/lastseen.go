package compactor

import (
	"hash/maphash"
	"sync"
	"time"

	"killick/compactor/layout"
	"killick/compactor/trigger"
	"killick/view"
)

// lastSeen remembers when conversations were last seen. It holds mostVisits of them
// at most; one that was forgotten counts as seen just now.
type lastSeen struct {
	mu   sync.Mutex
	last map[seenKey]time.Time
}

const mostSeen = 1 << 16

// seenKey is a conversation by who has it, with which model, and how it opens.
// Conversations that open alike are taken for one: then rests go unnoticed.
type seenKey struct {
	opening view.Fingerprint
	of      uint64
}

var seenSeed = maphash.MakeSeed()

func newSeenKey(who, model string, opening *view.Message) seenKey {
	var h maphash.Hash
	h.SetSeed(seenSeed)
	h.WriteString(who)
	h.WriteByte(0)
	h.WriteString(model)
	return seenKey{opening.Fingerprint(), h.Sum64()}
}

// idleFor notes a visit and returns how long ago the one before was, 0 if none is
// known.
func (s *lastSeen) idleFor(v seenKey, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.last[v]
	if s.last == nil {
		s.last = map[seenKey]time.Time{}
	}
	for old := range s.last { // in random order: as good as any that needs no list
		if known || len(s.last) < mostSeen {
			break
		}
		delete(s.last, old)
	}
	s.last[v] = now
	if !known {
		return 0
	}
	return now.Sub(before)
}

// expired reports whether the provider has forgotten the conversation of a request.
func (e *Engine) expired(req *view.Request, v *layout.View, j job) bool {
	if j.policy.IdleAfter <= 0 || len(v.Messages) == 0 {
		return false
	}
	idle := e.seen.idleFor(newSeenKey(j.who, j.model, &v.Messages[0]), e.now())
	return idle >= trigger.IdleAfter(j.policy, req)
}
