package cache

import "context"

// Conversation is the view of a Store for one request of who. It must be used by one goroutine.
type Conversation struct {
	store *Store
	who   string
	keys  []Key
}

// Conversation returns the view of a conversation of who with a chain of keys.
func (s *Store) Conversation(who string, keys []Key) *Conversation {
	return &Conversation{s, who, keys}
}

// Extend sets the keys of all prefixes, if Conversation was only given those up to the first
// message.
func (c *Conversation) Extend(keys []Key) { c.keys = keys }

// Find returns the form of the longest prefix of at most so many messages, as [Store.Find] does.
func (c *Conversation) Find(
	ctx context.Context, most int, before *Found,
) (found *Found, renewed bool, err error) {
	return c.store.Find(ctx, c.keys[:most+1], before)
}

// Replace stores a form, as [Store.Replace] does.
func (c *Conversation) Replace(
	ctx context.Context, index, replaced int, value []byte,
) (*Found, error) {
	return c.store.Replace(ctx, c.keys, index, replaced, value)
}

// LastSeen returns what was stored last with [Conversation.PutLastSeen], nil if nothing.
func (c *Conversation) LastSeen(ctx context.Context) ([]byte, error) {
	return c.store.LastSeen(ctx, c.keys[1])
}

// PutLastSeen stores when the conversation was seen.
func (c *Conversation) PutLastSeen(ctx context.Context, value []byte) error {
	return c.store.PutLastSeen(ctx, c.keys[1], value)
}

// PutOriginals stores originals, as [Store.PutOriginals] does.
func (c *Conversation) PutOriginals(ctx context.Context, list []Original) error {
	return c.store.PutOriginals(ctx, c.who, list)
}
