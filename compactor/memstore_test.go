package compactor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/view"
)

// memStore is a Store in memory. failing makes it refuse everything, renewing begin the time to
// live of every checkpoint again that is found.
type memStore struct {
	mu        sync.Mutex
	values    map[string][]byte
	originals map[string][]byte
	failing   error
	renewing  bool
}

func newMemStore() *memStore {
	return &memStore{values: map[string][]byte{}, originals: map[string][]byte{}}
}

func (s *memStore) Conversation(
	who string,
	msgs []view.Message,
	_ *view.Memory,
) checkpoint.Conversation {
	h := sha256.Sum256([]byte(who))
	keys := []string{string(h[:])}
	for i := range msgs {
		h = sha256.Sum256(append(h[:], msgs[i].AppendCanonical(nil)...))
		keys = append(keys, string(h[:]))
	}
	return &memConversation{s, keys}
}

type memConversation struct {
	store *memStore
	keys  []string
}

func (c *memConversation) Longest(_ context.Context, most int) ([]byte, int, bool, error) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.store.failing != nil {
		return nil, 0, false, c.store.failing
	}
	for i := most; i >= 0; i-- {
		if v, ok := c.store.values[c.keys[i]]; ok {
			return v, i, c.store.renewing, nil
		}
	}
	return nil, 0, false, nil
}

func (c *memConversation) Put(_ context.Context, covers, _ int, value []byte) ([]byte, error) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.store.failing != nil {
		return nil, c.store.failing
	}
	if v, ok := c.store.values[c.keys[covers]]; ok {
		return v, nil
	}
	c.store.values[c.keys[covers]] = value
	return value, nil
}

func (c *memConversation) LastSeen() checkpoint.LastSeen { return memLastSeen{c} }

type memLastSeen struct{ *memConversation }

func (c memLastSeen) Get(context.Context) ([]byte, error) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.store.values["last seen of "+c.keys[1]], c.store.failing
}

func (c memLastSeen) Put(_ context.Context, value []byte) error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.store.failing != nil {
		return c.store.failing
	}
	c.store.values["last seen of "+c.keys[1]] = value
	return nil
}

func (c *memConversation) Name(covers int) string { return c.keys[covers] }

func (c *memConversation) Place(covers int) string { return c.keys[covers] }

func (c *memConversation) Ref(content []byte) string {
	h := sha256.Sum256(append([]byte(c.keys[0]), content...))
	return hex.EncodeToString(h[:5])
}

func (c *memConversation) Keep(_ context.Context, originals []checkpoint.Original) error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.store.failing != nil {
		return c.store.failing
	}
	for _, o := range originals {
		c.store.originals[o.Ref] = o.Content
	}
	return nil
}

// byteCounter is [chattest.Counter].
type byteCounter = chattest.Counter

func byBytes(string, string) layout.Counter { return byteCounter{} }
