package tokenizer

import (
	"encoding/binary"
	"math/bits"
)

// packKey packs up to 15 bytes and their number into two words, the number in
// the upper byte of the last word used: pieces of different lengths never have
// the same key.
func packKey(piece []byte) (lo, hi uint64) {
	n := len(piece)
	if n <= 7 {
		return packWord(piece) | uint64(n)<<56, 0
	}
	return binary.LittleEndian.Uint64(piece), packWord(piece[8:]) | uint64(n)<<56
}

// packWord reads up to 7 bytes.
func packWord(b []byte) (w uint64) {
	switch n := len(b); {
	case n >= 4:
		// Two reads that overlap hold every byte.
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n >= 2:
		return uint64(binary.LittleEndian.Uint16(b)) | uint64(b[n-1])<<(8*(n-1))
	case n == 1:
		return uint64(b[0])
	}
	return 0
}

// shortSet is a set of keys of one word; zero is none.
type shortSet struct {
	slots []uint64
	shift uint8
}

func newShortSet(entries int) shortSet {
	size := bits.Len(uint(entries)*3/2 + 16)
	return shortSet{slots: make([]uint64, 1<<size), shift: uint8(64 - size)}
}

func (s *shortSet) add(key uint64) {
	i := (key * mixer) >> s.shift
	for s.slots[i] != 0 {
		i = (i + 1) & uint64(len(s.slots)-1)
	}
	s.slots[i] = key
}

func (s *shortSet) has(key uint64) bool {
	i := (key * mixer) >> s.shift
	for {
		slot := s.slots[i&uint64(len(s.slots)-1)]
		if slot == key {
			return true
		}
		if slot == 0 {
			return false
		}
		i++
	}
}

// longSet is a set of keys of two words.
type longSet struct {
	slots [][2]uint64
	shift uint8
}

func newLongSet(entries int) longSet {
	size := bits.Len(uint(entries)*3/2 + 16)
	return longSet{slots: make([][2]uint64, 1<<size), shift: uint8(64 - size)}
}

func longHash(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^mixer, hi^0xD6E8FEB86659FD93)
	return a ^ b
}

func (s *longSet) add(lo, hi uint64) {
	i := longHash(lo, hi) >> s.shift
	for s.slots[i][1] != 0 {
		i = (i + 1) & uint64(len(s.slots)-1)
	}
	s.slots[i] = [2]uint64{lo, hi}
}

func (s *longSet) has(lo, hi uint64) bool {
	i := longHash(lo, hi) >> s.shift
	for {
		slot := &s.slots[i&uint64(len(s.slots)-1)]
		if slot[0] == lo && slot[1] == hi {
			return true
		}
		if slot[1] == 0 {
			return false
		}
		i++
	}
}
