package prepare

import (
	"container/list"
	"sync"

	"killick/compactor/checkpoint"
)

// phase says whether another summary of a conversation is to be prepared.
type Kind byte

const (
	Ready     Kind = iota // nothing speaks against it
	Cooling               // one was prepared, or came to nothing, not long ago
	Exhausted             // there was nothing left to gain
)

// standing is the phase of a conversation that has a certain prefix. It ends
// by growth, not by the clock, so that a conversation that rests costs nothing:
// when the request exceeds until tokens, or for an exhausted one, when that many
// could be folded.
type Backoff struct {
	Name  string // of the prefix
	Kind  Kind
	until int
	base  checkpoint.Base // the form that the conversation had; with another one it is ready
}

// on returns s where the conversation has the form base, nil where it has
// another one by now.
func (s *Backoff) On(base checkpoint.Base) *Backoff {
	if s == nil || s.base != base {
		return nil
	}
	return s
}

// phaseOf returns the phase of a conversation whose request has size tokens, of
// which foldable could be folded.
func (s *Backoff) KindAt(size, foldable int) Kind {
	switch {
	case s == nil:
		return Ready
	case s.Kind == Cooling && size > s.until, s.Kind == Exhausted && foldable > s.until:
		return Ready
	}
	return s.Kind
}

// mostStandings bounds what is remembered, to about 1 MB. Past it the oldest is
// forgotten, which costs one attempt.
const mostBackoffs = 4096

// standings remembers the phases of conversations.
type backoffs struct {
	mu    sync.Mutex
	order *list.List // of *standing, oldest first
	known map[string]*list.Element
}

func NewBackoffs() *backoffs {
	return &backoffs{order: list.New(), known: map[string]*list.Element{}}
}

// of returns the latest standing of the conversation whose prefixes have these
// names, nil if there is none.
func (s *backoffs) Of(messages int, name func(covers int) string) *Backoff {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return nil
	}
	for n := messages; n >= 0; n-- {
		if e, ok := s.known[name(n)]; ok {
			found := *e.Value.(*Backoff)
			return &found
		}
	}
	return nil
}

func (s *backoffs) set(st Backoff) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.known[st.Name]; ok {
		s.order.Remove(e)
	}
	s.known[st.Name] = s.order.PushBack(&st)
	if s.order.Len() > mostBackoffs {
		oldest := s.order.Remove(s.order.Front()).(*Backoff)
		delete(s.known, oldest.Name)
	}
}
