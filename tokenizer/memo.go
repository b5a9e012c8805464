package tokenizer

import (
	"hash/maphash"
	"sync"
)

// memoKey is a 128-bit hash under seeds drawn at start-up. Collisions are practically impossible,
// also on purpose, so the memo keeps no bytes to compare.
type memoKey [2]uint64

// memoWays is the number of places an entry can be in; the oldest of a full set makes room.
const memoWays = 8

// memo remembers a number for each key, within a fixed number of entries.
type memo struct {
	shards [64]memoShard
}

type memoShard struct {
	mu            sync.Mutex
	sets          []memoSet
	found, missed uint64
}

type memoSet struct {
	keys   [memoWays]memoKey
	values [memoWays]uint64
	next   uint8
}

func newMemo(entries int) *memo {
	m := &memo{}
	sets := max(1, entries/len(m.shards)/memoWays)
	for i := range m.shards {
		m.shards[i].sets = make([]memoSet, sets)
	}
	return m
}

func (m *memo) get(k memoKey) (value uint64, ok bool) {
	s := &m.shards[k[1]%uint64(len(m.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	set := &s.sets[k[0]%uint64(len(s.sets))]
	for i := range set.keys {
		if set.keys[i] == k {
			s.found++
			return set.values[i], true
		}
	}
	s.missed++
	return 0, false
}

// lookups returns how often an entry was found, and how often there was none.
func (m *memo) lookups() (found, missed uint64) {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		found, missed = found+s.found, missed+s.missed
		s.mu.Unlock()
	}
	return found, missed
}

func (m *memo) put(k memoKey, value uint64) {
	s := &m.shards[k[1]%uint64(len(m.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	set := &s.sets[k[0]%uint64(len(s.sets))]
	for i := range set.keys {
		if set.keys[i] == k {
			set.values[i] = value
			return
		}
	}
	set.keys[set.next] = k
	set.values[set.next] = value
	set.next = (set.next + 1) % memoWays
}

var memoSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// hashKey is the key of bytes that are not a message's.
func hashKey(b []byte) memoKey {
	return memoKey{maphash.Bytes(memoSeeds[0], b), maphash.Bytes(memoSeeds[1], b)}
}

// profileHash differs between what makes the same bytes count differently.
func profileHash(encoding string, images *imageRule) uint64 {
	type profile struct {
		encoding string
		images   *imageRule
	}
	return maphash.Comparable(memoSeeds[0], profile{encoding, images})
}
