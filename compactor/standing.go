package compactor

import (
	"container/list"
	"sync"
)

// phase says whether another summary of a conversation is to be prepared.
type phase byte

const (
	ready     phase = iota // nothing speaks against it
	cooling                // one was prepared, or came to nothing, not long ago
	exhausted              // there was nothing left to gain
)

// standing is the phase of a conversation that has a certain prefix. It ends
// by growth, not by the clock, so that a conversation that rests costs nothing:
// when the request exceeds until tokens, or for an exhausted one, when that many
// could be folded.
type standing struct {
	name  string // of the prefix
	phase phase
	until int
	base  Base // the form that the conversation had; with another one it is ready
}

// on returns s where the conversation has the form base, nil where it has
// another one by now.
func (s *standing) on(base Base) *standing {
	if s == nil || s.base != base {
		return nil
	}
	return s
}

// phaseOf returns the phase of a conversation whose request has size tokens, of
// which foldable could be folded.
func (s *standing) phaseOf(size, foldable int) phase {
	switch {
	case s == nil:
		return ready
	case s.phase == cooling && size > s.until, s.phase == exhausted && foldable > s.until:
		return ready
	}
	return s.phase
}

// mostStandings bounds what is remembered, to about 1 MB. Past it the oldest is
// forgotten, which costs one attempt.
const mostStandings = 4096

// standings remembers the phases of conversations.
type standings struct {
	mu    sync.Mutex
	order *list.List // of *standing, oldest first
	known map[string]*list.Element
}

func newStandings() *standings {
	return &standings{order: list.New(), known: map[string]*list.Element{}}
}

// of returns the latest standing of the conversation whose prefixes have these
// names, nil if there is none.
func (s *standings) of(messages int, name func(covers int) string) *standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return nil
	}
	for n := messages; n >= 0; n-- {
		if e, ok := s.known[name(n)]; ok {
			found := *e.Value.(*standing)
			return &found
		}
	}
	return nil
}

func (s *standings) set(st standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.known[st.name]; ok {
		s.order.Remove(e)
	}
	s.known[st.name] = s.order.PushBack(&st)
	if s.order.Len() > mostStandings {
		oldest := s.order.Remove(s.order.Front()).(*standing)
		delete(s.known, oldest.name)
	}
}
