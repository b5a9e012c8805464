package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
)

// lookups remember where the checkpoint of a chain was found, so that the next
// turn of the conversation looks up the keys of its new messages and that one
// checkpoint, not every key in between. They store no value, and not that a
// checkpoint exists: only that there is none in between.
//
// That holds until another checkpoint of the conversation is written. Nobody else
// writes into an open store, so writes are counted here, by conversation: by its
// first message.
type lookups struct {
	found  *otter.Cache[lookup, answer]
	writes [1 << 16]atomic.Uint32 // by two bytes of the key of the first message

	deletions atomic.Uint32 // number of deletions, of any conversation
}

// state is the state of a conversation when a checkpoint was looked up. While it is unchanged, none
// was written or deleted.
type state struct{ writes, deletions uint32 }

func (l *lookups) state(keys []Key) state {
	return state{l.written(keys).Load(), l.deletions.Load()}
}

// lookup identifies a chain by its first and last key, without their owner.
type lookup struct{ first, last [sha256.Size]byte }

// answer is where a lookup found a checkpoint.
type answer struct {
	back   int32  // how many keys before the last; if there was none, that of the first key
	writes uint32 // count of the conversation's writes at that time
}

// maxLookups is the maximum number of remembered lookups: one of about 200 bytes for each
// active conversation.
const maxLookups = 1 << 16

func newLookups() *lookups {
	return &lookups{found: otter.Must(&otter.Options[lookup, answer]{MaximumSize: maxLookups})}
}

// written is the count of writes of a chain's conversation.
func (l *lookups) written(keys []Key) *atomic.Uint32 {
	first := keys[min(1, len(keys)-1)][ownerBytes:]
	return &l.writes[binary.BigEndian.Uint16(first)]
}

// skip returns where to look for the checkpoint of a chain: at its last key, or
// at an earlier one if nothing is between. The first key is always looked up: the
// empty prefix is of all conversations, and their writes are not counted together.
func (l *lookups) skip(keys []Key, writes uint32) int {
	last := len(keys) - 1
	a, ok := l.found.GetIfPresent(lookupOf(keys))
	if !ok || a.writes != writes {
		return last
	}
	return max(last-int(a.back), 0)
}

// remember notes where the checkpoint of a chain was found, -1 if there is none.
func (l *lookups) remember(keys []Key, at int, writes uint32) {
	back := int32(len(keys) - 1 - max(at, 0))
	l.found.Set(lookupOf(keys), answer{back, writes})
}

// wrote counts a write at an index of a chain; before is the count from before the write. If it was
// the only one meanwhile, what was known of the chain still holds, apart from the new checkpoint.
func (l *lookups) wrote(keys []Key, index int, before uint32) {
	a, ok := l.found.GetIfPresent(lookupOf(keys))
	if now := l.written(keys).Add(1); ok && a.writes == before && now == before+1 {
		l.remember(keys, max(index, len(keys)-1-int(a.back)), now)
	}
}

func lookupOf(keys []Key) (l lookup) {
	copy(l.first[:], keys[0][ownerBytes:])
	copy(l.last[:], keys[len(keys)-1][ownerBytes:])
	return l
}
