package wire

import (
	"context"
	"slices"

	"killick/cache"
	"killick/cache/shared"
)

// Store stores forms and originals, locally or also in a store that replicas share.
type Store interface {
	// Conversation returns a conversation of who with a chain of keys. The chain may end at the
	// first message until Extend is called, which must be done before anything except LastSeen.
	Conversation(who string, chain []cache.Key) StoredConversation
	// Checkpoint returns the form under a key. first is the key of its conversation's first
	// message.
	Checkpoint(ctx context.Context, who string, key, first cache.Key) ([]byte, error)
	Checkpoints(ctx context.Context, who string, chain []cache.Key) ([][]byte, error)
	Original(ctx context.Context, who, ref string) ([]byte, error)
	// Forget removes conversations by their chains, and originals by their refs.
	Forget(ctx context.Context, who string, chains [][]cache.Key, refs []string) (int, error)
	ForgetOwner(ctx context.Context, who string) (int, error)
	ForgetAll(ctx context.Context) (int, error)
}

// StoredConversation is the part of a Store that one request sees.
type StoredConversation interface {
	Extend(chain []cache.Key) // with the whole chain
	Find(ctx context.Context, most int, before *cache.Found) (*cache.Found, bool, error)
	Replace(ctx context.Context, covers, replaced int, value []byte) (*cache.Found, error)
	LastSeen(ctx context.Context) ([]byte, error)
	PutLastSeen(ctx context.Context, value []byte) error
	PutOriginals(ctx context.Context, list []cache.Original) error
}

// ownStore implements Store with a local store.
type ownStore struct{ *cache.Store }

func (s ownStore) Conversation(who string, chain []cache.Key) StoredConversation {
	return s.Store.Conversation(who, chain)
}

func (s ownStore) Checkpoint(
	ctx context.Context, who string, key, _ cache.Key,
) ([]byte, error) {
	return s.Store.Checkpoint(ctx, who, key)
}

func (s ownStore) Forget(
	ctx context.Context, who string, chains [][]cache.Key, refs []string,
) (int, error) {
	return s.Store.Forget(ctx, slices.Concat(chains...), who, refs)
}

// sharedStore implements Store with one that replicas share.
type sharedStore struct{ *shared.Store }

func (s sharedStore) Conversation(who string, chain []cache.Key) StoredConversation {
	return s.Store.Conversation(who, chain)
}
