package chat

import "sync"

// Memory keeps what others derived from the messages of a conversation behind its leading
// instructions, for as long as the [Parser] remembers these messages. It is never shared
// between scopes. It is safe for concurrent use; a nil Memory keeps nothing.
//
// What is kept must follow from the messages alone. Where a client changed one, as clients do
// that move cache marks, what was kept still holds for the messages before it.
type Memory struct {
	known *known

	mu    sync.Mutex
	slots map[any]slot
	bytes int64
}

type slot struct {
	value    any
	messages int // that it was derived from and that are still the same
	bytes    int64
}

// Memory returns what is kept for the request's conversation; nil where nothing is.
func (r *Request) Memory() *Memory { return r.memory }

// Load returns what was kept under a key, and for how many messages it holds: for those that
// it was derived from, or for fewer where one was changed since. nil: nothing was kept.
func (m *Memory) Load(key any) (value any, messages int) {
	if m == nil {
		return nil, 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[key]
	return s.value, s.messages
}

// Store keeps a value that was derived from so many messages and takes about so many bytes.
// Keys are few and fixed: each stands for one kind of value.
func (m *Memory) Store(key, value any, messages int, bytes int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.bytes += bytes - m.slots[key].bytes
	if m.slots == nil {
		m.slots = map[any]slot{}
	}
	m.slots[key] = slot{value, messages, bytes}
	m.mu.Unlock()
	p := m.known.parser
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weigh(m.known)
}

// inherit returns a Memory for k with what m keeps of the first messages.
func (m *Memory) inherit(k *known, messages int) *Memory {
	next := &Memory{known: k}
	if m == nil {
		return next
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next.slots, next.bytes = make(map[any]slot, len(m.slots)), m.bytes
	for key, s := range m.slots {
		s.messages = min(s.messages, messages)
		next.slots[key] = s
	}
	return next
}

func (m *Memory) size() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}
