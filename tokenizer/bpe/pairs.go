package bpe

import "fmt"

// pairTable maps two tokens to the token that they merge into. It looks at one
// place and takes no branch: a perfect hash, where a displacement for each bucket
// of keys was found when the table was built, so that no two keys share a slot.
// (Pagh, "Hash and displace", WADS 1999.) A bitmap keeps most keys that are not
// there from touching the slots, which are too many for the nearer caches.
type pairTable struct {
	slots  [1 << slotBits]uint64   // key and value in one word, inverted; zero is an empty slot
	shifts [1 << bucketBits]uint16 // the displacement of each bucket
	likely [1 << likelyBits / 64]uint64
}

// Sizes of the parts of a pairTable, for as many pairs as there are ranks.
const (
	slotBits   = rankBits
	bucketBits = 16
	likelyBits = 21
)

type pairEntry struct {
	key   uint64
	value rank
}

// newPairTable returns the table of entries, whose keys differ.
func newPairTable(entries []pairEntry) (*pairTable, error) {
	t := &pairTable{}
	// The entries by bucket, the fullest buckets first.
	starts := make([]uint32, 1<<bucketBits+1)
	for _, e := range entries {
		h := e.key * mixer
		starts[h>>(64-bucketBits)+1]++
		bit := h >> (64 - likelyBits)
		t.likely[bit/64] |= 1 << (bit % 64)
	}
	fullest := uint32(0)
	for i := range starts[1:] {
		fullest = max(fullest, starts[i+1])
		starts[i+1] += starts[i]
	}
	sorted := make([]pairEntry, len(entries))
	next := make([]uint32, 1<<bucketBits)
	copy(next, starts)
	for _, e := range entries {
		b := (e.key * mixer) >> (64 - bucketBits)
		sorted[next[b]] = e
		next[b]++
	}
	for n := fullest; n > 0; n-- {
		for b := range t.shifts {
			if starts[b+1]-starts[b] == n && !t.place(b, sorted[starts[b]:starts[b+1]]) {
				return nil, fmt.Errorf("%d pairs have no place in %d slots",
					len(entries), len(t.slots))
			}
		}
	}
	return t, nil
}

// place finds a displacement for the keys of a bucket.
func (t *pairTable) place(bucket int, entries []pairEntry) bool {
	for d := range 1 << 16 {
		placed := 0
		for _, e := range entries {
			slot := &t.slots[slotOf(e.key*mixer, uint16(d))]
			if *slot != 0 {
				break
			}
			*slot = ^(e.key<<rankBits | uint64(e.value))
			placed++
		}
		if placed == len(entries) {
			t.shifts[bucket] = uint16(d)
			return true
		}
		for _, e := range entries[:placed] {
			t.slots[slotOf(e.key*mixer, uint16(d))] = 0
		}
	}
	return false
}

// slotOf is the place of a hash under a displacement.
func slotOf(h uint64, d uint16) uint64 {
	return (h>>20 + uint64(d)*(h>>12|1)) % (1 << slotBits)
}

// get returns the value of a key, none if it has none.
func (t *pairTable) get(key uint64) rank {
	h := key * mixer
	likely := t.likely[h>>(70-likelyBits)] >> (h >> (64 - likelyBits) & 63) & 1
	slot := ^t.slots[slotOf(h, t.shifts[h>>(64-bucketBits)])&-likely]
	value := none
	if slot>>rankBits == key {
		value = rank(slot % (1 << rankBits))
	}
	return value
}
