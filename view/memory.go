package view

import "sync"

// Memory keeps values derived from the messages of a conversation after its leading instructions,
// for as long as the [Parser] remembers these messages. It is never shared between scopes. It is
// safe for concurrent use; a nil Memory keeps nothing.
//
// A value must depend only on the messages. If a client changes a message, for example by moving
// cache marks, the value still applies to the messages before it.
type Memory struct {
	grown func() // is called after a value was stored

	mu    sync.Mutex
	slots map[any]slot
	bytes int64
}

type slot struct {
	value    any
	messages int // how many of the messages that it was derived from are unchanged
	bytes    int64
}

// Load returns the value of a key, nil if there is none, and the number of messages that it applies
// to: those that it was derived from, or fewer if one has changed since.
func (m *Memory) Load(key any) (value any, messages int) {
	if m == nil {
		return nil, 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[key]
	return s.value, s.messages
}

// Store keeps a value that was derived from this number of messages and takes about this number of
// bytes. Keys are few and fixed, one for each kind of value.
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
	m.grown()
}

// inherit returns a Memory with the values of m, as far as they apply to the first messages.
func (m *Memory) inherit(messages int, grown func()) *Memory {
	next := &Memory{grown: grown}
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
