package cache

import (
	"crypto/sha256"

	"github.com/maypok86/otter/v2"

	"killick/chat"
)

// Key names a conversation prefix under one scope. It begins with what it has in
// common with all that is kept for the same credential, so that this can be
// found and forgotten; the chain hash behind it names the prefix.
type Key [ownerBytes + sha256.Size]byte

// ownerBytes is how much of a hash identifies the owner of a record.
const ownerBytes = 16

// ownerOf returns what the records of one credential begin with.
func ownerOf(who string) (owner [ownerBytes]byte) {
	sum := sha256.Sum256([]byte(who))
	copy(owner[:], sum[:])
	return owner
}

// Scope is what a conversation is kept apart by.
type Scope struct {
	Who      string // keyed credential, see [Secret.Who]
	Upstream string // base URL of the upstream
	Policy   string // what changes rendered bytes: renderer version, redaction, kind of summary
}

// Chain returns the keys of all prefixes of msgs, from the empty one to the
// whole: len(msgs)+1 of them. The first is a keyed hash of the scope, each
// further one SHA-256 of the key before it and of the digest of the message.
// Callers leave out the leading system and developer messages, which change
// from turn to turn.
func (s Secret) Chain(scope Scope, msgs []chat.Message) []Key {
	return (*Digests)(nil).Chain(s, scope, msgs)
}

// Digests remembers the SHA-256 digests of messages, so that a history sent
// again costs the fingerprints of its messages only. It is safe for concurrent
// use; a nil *Digests remembers nothing.
type Digests struct {
	memo *otter.Cache[chat.Fingerprint, [sha256.Size]byte]
}

// NewDigests returns a memo of at most size digests (if zero, 65,536: about
// 10 MB when full).
func NewDigests(size int) *Digests {
	if size <= 0 {
		size = 1 << 16
	}
	return &Digests{memo: otter.Must(&otter.Options[chat.Fingerprint, [sha256.Size]byte]{
		MaximumSize: size,
	})}
}

// Chain is [Secret.Chain] by way of the memo.
func (d *Digests) Chain(s Secret, scope Scope, msgs []chat.Message) []Key {
	keys := make([]Key, len(msgs)+1)
	keys[0] = s.root(scope)
	var canonical []byte
	var link [2 * sha256.Size]byte // fixed width: no two chains give one input
	for i := range msgs {
		copy(link[:], keys[i][ownerBytes:])
		canonical = d.digest(link[sha256.Size:], canonical, &msgs[i])
		next := sha256.Sum256(link[:])
		copy(keys[i+1][:ownerBytes], keys[i][:])
		copy(keys[i+1][ownerBytes:], next[:])
	}
	return keys
}

// digest puts the message's digest into dst; buf is a buffer that it may use
// and returns.
func (d *Digests) digest(dst, buf []byte, m *chat.Message) []byte {
	if d != nil {
		if sum, ok := d.memo.GetIfPresent(m.Fingerprint()); ok {
			copy(dst, sum[:])
			return buf
		}
	}
	buf = m.AppendCanonical(buf[:0])
	sum := sha256.Sum256(buf)
	copy(dst, sum[:])
	if d != nil {
		d.memo.Set(m.Fingerprint(), sum)
	}
	return buf
}

func (s Secret) root(scope Scope) Key {
	mac := s.mac("chain")
	writeSized(mac, scope.Who)
	writeSized(mac, scope.Upstream)
	writeSized(mac, scope.Policy)
	var key Key
	owner := ownerOf(scope.Who)
	mac.Sum(append(key[:0], owner[:]...))
	return key
}
