package cache

import (
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
