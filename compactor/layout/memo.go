package layout

import (
	"sync"
)

// memo remembers what was found out about something, so that a history that is
// sent again is not read again. Past most entries others are forgotten, in random
// order: as good as any that needs no list. A nil memo remembers nothing.
type Memo[K comparable, V any] struct {
	most  int
	mu    sync.Mutex
	known map[K]V
}

func NewMemo[K comparable, V any](most int) *Memo[K, V] {
	return &Memo[K, V]{most: most, known: map[K]V{}}
}

func (m *Memo[K, V]) Get(key K) (found V, ok bool) {
	if m == nil {
		return found, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok = m.known[key]
	return found, ok
}

func (m *Memo[K, V]) Put(key K, value V) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for old := range m.known {
		if len(m.known) < m.most {
			break
		}
		delete(m.known, old)
	}
	m.known[key] = value
}
