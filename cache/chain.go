package cache

import (
	"context"
	"crypto/sha256"

	"killick/view"
)

// Key names a conversation prefix in one scope. It begins with a hash that all
// records of the same credential share, so that they can be found and deleted;
// the chain hash after it names the prefix.
type Key [ownerBytes + sha256.Size]byte

// ownerBytes is how much of a hash identifies the owner of a record.
const ownerBytes = 16

// Owner returns the prefix of the names of one credential's records. who is its keyed hash.
func Owner(who string) (owner [ownerBytes]byte) {
	sum := sha256.Sum256([]byte(who))
	copy(owner[:], sum[:])
	return owner
}

// Split returns a key's two parts: its owner, and the chain hash.
func (k Key) Split() (owner [ownerBytes]byte, chain [sha256.Size]byte) {
	return [ownerBytes]byte(k[:]), [sha256.Size]byte(k[ownerBytes:])
}

// Scope is what separates conversations.
type Scope struct {
	Who      string // keyed credential, see [Secret.Who]
	Upstream string // base URL of the upstream
	Policy   string // what changes rendered bytes: renderer version, redaction, kind of summary
}

// Digest is the SHA-256 of a message in its canonical form, without cache marks.
type Digest [sha256.Size]byte

// Digests adds the digests of messages to those of the messages before them.
func Digests(digests []Digest, msgs []view.Message) []Digest {
	var canonical []byte
	for i := range msgs {
		canonical = msgs[i].AppendCanonical(canonical[:0])
		digests = append(digests, sha256.Sum256(canonical))
	}
	return digests
}

// Chain returns the keys of all len(msgs)+1 prefixes of msgs, from the empty one
// to all of them. The first is a keyed hash of the scope, each further one the
// SHA-256 of the key before it and of the digest of the message. Callers omit the
// leading system and developer messages, which change from turn to turn.
func (s Secret) Chain(scope Scope, msgs []view.Message) []Key {
	return s.Extend(scope, make([]Key, 0, len(msgs)+1), Digests(nil, msgs))
}

// Extend adds the keys of longer prefixes to those of the shorter ones, if there are any. digests
// are those of all messages.
func (s Secret) Extend(scope Scope, keys []Key, digests []Digest) []Key {
	if len(keys) == 0 {
		keys = append(keys, s.root(scope))
	}
	var link [2 * sha256.Size]byte // fixed width: no two chains give the same input
	for _, digest := range digests[len(keys)-1:] {
		last := &keys[len(keys)-1]
		copy(link[:], last[ownerBytes:])
		copy(link[sha256.Size:], digest[:])
		sum := sha256.Sum256(link[:])
		var key Key
		copy(key[:ownerBytes], last[:])
		copy(key[ownerBytes:], sum[:])
		keys = append(keys, key)
	}
	return keys
}

func (s Secret) root(scope Scope) Key {
	mac := s.mac("chain")
	writeSized(mac, scope.Who)
	writeSized(mac, scope.Upstream)
	writeSized(mac, scope.Policy)
	var key Key
	owner := Owner(scope.Who)
	mac.Sum(append(key[:0], owner[:]...))
	return key
}

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
