package prepare

import (
	"container/list"
	"sync"

	"killick/compactor/checkpoint"
)

// state is whether another summary of a conversation may be prepared.
type state byte

const (
	ready     state = iota // it may
	cooling                // not yet: a preparation ended recently
	exhausted              // not yet: nothing was left to save
)

// backoff is the state of the conversations with a certain prefix. It ends when the
// conversation has grown, not after some time, so that an idle conversation costs nothing:
// a cooling one when its request exceeds until tokens, an exhausted one when more than until
// tokens could be folded.
type backoff struct {
	name  string // of the prefix
	state state
	until int
	base  checkpoint.Base // the form of the conversation; once it has another one, it is ready
}

// on returns b if the conversation still has the form base, else nil.
func (b *backoff) on(base checkpoint.Base) *backoff {
	if b == nil || b.base != base {
		return nil
	}
	return b
}

// at returns the state of a conversation whose request has size tokens, if foldable of them
// could be folded.
func (b *backoff) at(size, foldable int) state {
	switch {
	case b == nil:
		return ready
	case b.state == cooling && size > b.until, b.state == exhausted && foldable > b.until:
		return ready
	}
	return b.state
}

// maxBackoffs bounds the memory of backoffs to about 1 MB. Past it the oldest is dropped,
// which costs one unnecessary attempt.
const maxBackoffs = 4096

// backoffs holds the states of conversations.
type backoffs struct {
	mu    sync.Mutex
	order *list.List // of *backoff, oldest first
	known map[string]*list.Element
}

func newBackoffs() *backoffs {
	return &backoffs{order: list.New(), known: map[string]*list.Element{}}
}

// get returns the backoff of a conversation's longest prefix that has one, nil if none has.
// name returns the name of a prefix.
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
