package compactor

import (
	"hash/maphash"
	"sync"

	"killick/chat"
)

// shortMemo remembers short forms, so that a history sent again does not have
// its large outputs read again. It holds at most mostShort of them.
type shortMemo struct {
	mu    sync.Mutex
	known map[shortKey]shortening
}

const mostShort = 4096

// shortKey is an output, and the talk before it under one credential: handles
// are a credential's own.
type shortKey struct {
	output chat.Fingerprint
	talk   uint64
}

var talkSeed = maphash.MakeSeed()

func newShortKey(who string, limit int, m *chat.Message, talk []string) shortKey {
	var h maphash.Hash
	h.SetSeed(talkSeed)
	maphash.WriteComparable(&h, limit)
	h.WriteString(who)
	h.WriteByte(0)
	for _, t := range talk {
		h.WriteString(t)
		h.WriteByte(0)
	}
	return shortKey{m.Fingerprint(), h.Sum64()}
}

func (s *shortMemo) get(k shortKey) (shortening, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	short, ok := s.known[k]
	return short, ok
}

func (s *shortMemo) put(k shortKey, short shortening) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[shortKey]shortening{}
	}
	for old := range s.known { // in random order: as good as any that needs no list
		if len(s.known) < mostShort {
			break
		}
		delete(s.known, old)
	}
	s.known[k] = short
}
