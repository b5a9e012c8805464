package compactor

import (
	"hash/maphash"
	"sync"
	"time"

	"killick/chat"
)

// A provider forgets what it has cached of a conversation that rests. The next
// request of it is charged as fresh in whatever form it is sent, so a new form
// costs nothing then, and is made earlier than at the trigger.
//
// When a conversation rested is not in its messages: a process that did not see it
// rest goes on in the older form. So this is for one process, or for several that
// share a store, and is off unless it is asked for.

// idleMark is the size past which a conversation that rested is compacted: half of
// the way from the target to the trigger.
func (b Budget) idleMark() int { return b.Target + (b.Trigger-b.Target)/2 }

// extendedRetention is how long OpenAI keeps a prompt of which a request says
// "prompt_cache_retention": "24h" (its guide to prompt caching).
const extendedRetention = 24 * time.Hour

// rest is how long a conversation must rest until the provider has forgotten it.
func (p Policy) rest(req *chat.Request) time.Duration {
	if req.Field("prompt_cache_retention").Text() == "24h" {
		return max(p.IdleAfter, extendedRetention)
	}
	return p.IdleAfter
}

// visits remembers when conversations were last seen. It holds mostVisits of them
// at most; one that was forgotten counts as seen just now.
type visits struct {
	mu   sync.Mutex
	last map[visit]time.Time
}

const mostVisits = 1 << 16

// visit is a conversation by who has it, with which model, and how it opens.
// Conversations that open alike are taken for one: then rests go unnoticed.
type visit struct {
	opening chat.Fingerprint
	of      uint64
}

var visitSeed = maphash.MakeSeed()

func newVisit(who, model string, opening *chat.Message) visit {
	var h maphash.Hash
	h.SetSeed(visitSeed)
	h.WriteString(who)
	h.WriteByte(0)
	h.WriteString(model)
	return visit{opening.Fingerprint(), h.Sum64()}
}

// rested notes a visit and returns how long ago the one before was, 0 if none is
// known.
func (s *visits) rested(v visit, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.last[v]
	if s.last == nil {
		s.last = map[visit]time.Time{}
	}
	for old := range s.last { // in random order: as good as any that needs no list
		if known || len(s.last) < mostVisits {
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

// expired tells whether the provider has forgotten the conversation of a request.
func (e *Engine) expired(req *chat.Request, v *view, j job) bool {
	if j.policy.IdleAfter <= 0 || len(v.msgs) == 0 {
		return false
	}
	return e.visits.rested(newVisit(j.who, j.model, &v.msgs[0]), e.now()) >= j.policy.rest(req)
}
