package compactor

import (
	"slices"
	"sync"
	"time"

	"killick/compactor/plan"
	"killick/packed"
)

// beginning identifies what precedes the later turns of a conversation in its provider's cache.
type beginning struct {
	preamble uint64 // the hash of model and preamble
	replies  uint64 // the hash of the first replies, 0 before there is one
}

// firstReplies is how many replies tell conversations apart. Clients may begin every conversation
// with the same made-up reply, or with a few as examples.
const firstReplies = 3

// lastSeen is the time when a conversation was last sent with a beginning.
type lastSeen struct {
	beginning
	at time.Time
}

// maxLastSeen is how many beginnings are remembered for one first message: the latest ones.
const maxLastSeen = 32

// lastSeenIndex has the last-seen times in memory, by the names of first messages. It removes
// entries past maxSeenConversations; the store still has them.
type lastSeenIndex struct {
	mu        sync.Mutex
	last      map[string]seenTimes
	deletions int // under way
	epoch     int // changes when a deletion begins and when it ends
}

const maxSeenConversations = 1 << 15

// seenTimes are the last-seen times of conversations with the same first message.
type seenTimes struct {
	times  []lastSeen // never modified in place, the latest first
	stored time.Time  // when times was last written to the store
}

func newLastSeenIndex() *lastSeenIndex { return &lastSeenIndex{last: map[string]seenTimes{}} }

// get returns the times by the name of a first message, and the current epoch.
func (s *lastSeenIndex) get(name string) (v seenTimes, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[name], s.epoch
}

// clear removes all entries. Those that are still stored are read again. Until end is called,
// requests store only their own time, since the other times are being deleted. So do requests that
// read times before.
func (s *lastSeenIndex) clear() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.last)
	s.epoch++
	s.deletions++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.epoch++
		s.deletions--
	}
}

// deleted reports whether times that were read in an epoch may have been deleted since.
func (s *lastSeenIndex) deleted(epoch int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isPast(epoch)
}

func (s *lastSeenIndex) isPast(epoch int) bool { return s.epoch != epoch || s.deletions > 0 }

// put remembers times that were read in an epoch, unless they may have been deleted since.
func (s *lastSeenIndex) put(name string, v seenTimes, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isPast(epoch) {
		return
	}
	if _, known := s.last[name]; !known {
		for old := range s.last { // a random entry: an order would need a list
			if len(s.last) < maxSeenConversations {
				break
			}
			delete(s.last, old)
		}
	}
	s.last[name] = v
}

// withIdleTime returns c with the idle time of the conversation.
func (b beginning) withIdleTime(c plan.Cache, list []lastSeen, now time.Time) plan.Cache {
	if !b.seen(list) {
		return c
	}
	v := b.find(list)
	if c.Seen, c.Changed = true, v == nil; c.Changed {
		v = &list[slices.IndexFunc(list, b.continues)]
	}
	c.Idle = now.Sub(v.at)
	return c
}

// expired reports whether the conversation was last seen with this preamble longer than a lifetime
// ago, or was only seen with others.
func expired(list []lastSeen, b beginning, now time.Time, lifetime time.Duration) bool {
	if v := b.find(list); v != nil {
		return now.Sub(v.at) >= lifetime
	}
	return b.seen(list)
}

// continues reports whether v is of the same conversation, with any preamble.
func (b beginning) continues(v lastSeen) bool { return v.replies == b.replies }

// seen reports whether the conversation was seen.
func (b beginning) seen(list []lastSeen) bool { return slices.ContainsFunc(list, b.continues) }

// find returns when the conversation was seen with this preamble, nil if never.
func (b beginning) find(list []lastSeen) *lastSeen {
	for i := range list {
		if list[i].beginning == b {
			return &list[i]
		}
	}
	return nil
}

// until returns the times, with now in place of later ones. A time may be later if a clock was set
// back, or is behind another's; the conversation would otherwise count as just seen until then.
func until(now time.Time, list []lastSeen) []lastSeen {
	if len(list) == 0 || !list[0].at.After(now) { // the latest is the first
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if list[i].at.After(now) {
			list[i].at = now
		}
	}
	return list
}

// merged returns the latest time for each beginning of two lists, the latest first.
func merged(a, b []lastSeen) []lastSeen {
	var all []lastSeen
	for len(a)+len(b) > 0 && len(all) < maxLastSeen {
		if len(b) == 0 || len(a) > 0 && !a[0].at.Before(b[0].at) {
			a, b = b, a
		}
		if b[0].find(all) == nil {
			all = append(all, b[0])
		}
		b = b[1:]
	}
	return all
}

func encodeLastSeen(list []lastSeen) (w packed.Writer) {
	w.Len(len(list), false)
	for _, v := range list {
		w.Int64(int64(v.preamble))
		w.Int64(int64(v.replies))
		w.Int64(v.at.UnixMilli())
	}
	return w
}

// readLastSeen returns what encodeLastSeen wrote, nil if it cannot be read.
func readLastSeen(stored []byte) []lastSeen {
	r := packed.NewReader(stored)
	list := packed.List(r, func(r *packed.Reader) lastSeen {
		return lastSeen{
			beginning{uint64(r.Int64()), uint64(r.Int64())}, time.UnixMilli(r.Int64()),
		}
	})
	if len(stored) == 0 || r.End() != nil {
		return nil
	}
	return list
}
