package bpe

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

// set32 is a set of words of 32 bits. A slot is inverted, so that zero is an
// empty one; the word that is all ones is never a token: it is no UTF-8, nor
// a part of any.
type set32 struct {
	slots []uint32
	shift uint8
}

func newSet32(entries int) set32 {
	size := bits.Len(uint(entries)*3/2 + 16)
	return set32{slots: make([]uint32, 1<<size), shift: uint8(64 - size)}
}

func (s *set32) add(key uint32) {
	i := (uint64(key) * mixer) >> s.shift
	for s.slots[i] != 0 {
		i = (i + 1) & uint64(len(s.slots)-1)
	}
	s.slots[i] = ^key
}

func (s *set32) has(key uint32) bool {
	i := (uint64(key) * mixer) >> s.shift
	for {
		slot := s.slots[i&uint64(len(s.slots)-1)]
		if slot == ^key {
			return slot != 0
		}
		if slot == 0 {
			return false
		}
		i++
	}
}

// set64 is a set of keys of one word; zero is none.
type set64 struct {
	slots []uint64
	shift uint8
}

func newSet64(entries int) set64 {
	size := bits.Len(uint(entries)*3/2 + 16)
	return set64{slots: make([]uint64, 1<<size), shift: uint8(64 - size)}
}

func (s *set64) add(key uint64) {
	i := (key * mixer) >> s.shift
	for s.slots[i] != 0 {
		i = (i + 1) & uint64(len(s.slots)-1)
	}
	s.slots[i] = key
}

func (s *set64) has(key uint64) bool {
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

// set128 is a set of keys of two words.
type set128 struct {
	slots [][2]uint64
	shift uint8
}

func newSet128(entries int) set128 {
	size := bits.Len(uint(entries)*3/2 + 16)
	return set128{slots: make([][2]uint64, 1<<size), shift: uint8(64 - size)}
}

func longHash(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^mixer, hi^0xD6E8FEB86659FD93)
	return a ^ b
}

func (s *set128) add(lo, hi uint64) {
	i := longHash(lo, hi) >> s.shift
	for s.slots[i][1] != 0 {
		i = (i + 1) & uint64(len(s.slots)-1)
	}
	s.slots[i] = [2]uint64{lo, hi}
}

func (s *set128) has(lo, hi uint64) bool {
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
