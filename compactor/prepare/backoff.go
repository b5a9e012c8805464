package prepare

import (
	"container/list"
	"sync"

	"killick/compactor/checkpoint"
)

// state says whether another summary of a conversation is to be prepared.
type state byte

const (
	ready     state = iota // nothing speaks against it
	cooling                // one was prepared, or came to nothing, not long ago
	exhausted              // there was nothing left to gain
)

// backoff is the state of a conversation that has a certain prefix. It ends by growth,
// not by the clock, so that a conversation that is idle costs nothing: when the request
// exceeds until tokens, or for an exhausted one, when that many could be folded.
type backoff struct {
	name  string // of the prefix
	state state
	until int
	base  checkpoint.Base // the form that the conversation had; with another one it is ready
}

// on returns b where the conversation still has the form base, else nil.
func (b *backoff) on(base checkpoint.Base) *backoff {
	if b == nil || b.base != base {
		return nil
	}
	return b
}

// at returns the state of a conversation whose request has size tokens, of which
// foldable could be folded.
func (b *backoff) at(size, foldable int) state {
	switch {
	case b == nil:
		return ready
	case b.state == cooling && size > b.until, b.state == exhausted && foldable > b.until:
		return ready
	}
	return b.state
}

// maxBackoffs bounds what is remembered, to about 1 MB. Past it the oldest is
// forgotten, which costs one attempt.
const maxBackoffs = 4096

// backoffs remembers the states of conversations.
type backoffs struct {
	mu    sync.Mutex
	order *list.List // of *backoff, oldest first
	known map[string]*list.Element
}

func newBackoffs() *backoffs {
	return &backoffs{order: list.New(), known: map[string]*list.Element{}}
}

// get returns the latest backoff of the conversation whose prefixes have these names,
// nil if there is none.
func (b *backoffs) get(messages int, name func(covers int) string) *backoff {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.known) == 0 {
		return nil
	}
	for n := messages; n >= 0; n-- {
		if e, ok := b.known[name(n)]; ok {
			found := *e.Value.(*backoff)
			return &found
		}
	}
	return nil
}

func (b *backoffs) set(one backoff) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.known[one.name]; ok {
		b.order.Remove(e)
	}
	b.known[one.name] = b.order.PushBack(&one)
	if b.order.Len() > maxBackoffs {
		oldest := b.order.Remove(b.order.Front()).(*backoff)
		delete(b.known, oldest.name)
	}
}
