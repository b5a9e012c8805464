package bpe

import "math/bits"

// A token is known by its rank: the lower, the earlier its two halves merge.
// The ranks below 256 are the single bytes.
type rank = uint32

const (
	none     rank = 1<<32 - 1
	rankBits      = 18 // of a rank in a packed entry
	maxRank       = 1<<rankBits - 1
)

// maxTokenBytes bounds the length of a token.
const maxTokenBytes = 255

func pairKey(a, b rank) uint64         { return uint64(a)<<rankBits | uint64(b) }
func trieKey(node rank, b byte) uint64 { return uint64(node)<<8 | uint64(b) }

// table maps keys of up to 44 bits to values of up to 19, by open addressing.
// A slot is key and value in one word, inverted so that zero is an empty one.
type table struct {
	slots []uint64
	shift uint8
	used  int
}

const valueBits = 19

func newTable(slots int) table {
	size := bits.Len(uint(slots) + 16)
	return table{slots: make([]uint64, 1<<size), shift: uint8(64 - size)}
}

// full reports whether another entry would make the table slow.
func (t *table) full() bool { return t.used >= len(t.slots)*4/5 }

func (t *table) add(key uint64, value rank) {
	t.used++
	i := (key * mixer) >> t.shift
	for t.slots[i] != 0 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = ^(key<<valueBits | uint64(value))
}

// doubled returns a table of twice the size with the same entries.
func (t *table) doubled() table {
	larger := newTable(2*len(t.slots) - 17)
	for _, slot := range t.slots {
		if slot != 0 {
			larger.add(^slot>>valueBits, rank(^slot&(1<<valueBits-1)))
		}
	}
	return larger
}

func (t *table) get(key uint64) rank {
	i := (key * mixer) >> t.shift
	for {
		slot := t.slots[i&uint64(len(t.slots)-1)]
		if slot == 0 {
			return none
		}
		if slot = ^slot; slot>>valueBits == key {
			return rank(slot & (1<<valueBits - 1))
		}
		i++
	}
}

// bitmap is an approximate set of keys: it may report keys that were never added.
type bitmap struct {
	words []uint64
	shift uint8
}

func newBitmap(bitsWanted int) bitmap {
	size := bits.Len(uint(bitsWanted - 1))
	return bitmap{words: make([]uint64, 1<<size/64), shift: uint8(64 - size)}
}

func (m *bitmap) add(key uint64) {
	i := (key * mixer) >> m.shift
	m.words[i/64] |= 1 << (i % 64)
}

func (m *bitmap) has(key uint64) bool {
	i := (key * mixer) >> m.shift
	return m.words[i/64&uint64(len(m.words)-1)]&(1<<(i%64)) != 0
}

// mixer spreads keys over the upper bits of a product: 2^64 divided by the
// golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
const mixer = 0x9E3779B97F4A7C15
