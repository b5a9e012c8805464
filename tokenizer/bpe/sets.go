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

// packLong packs the piece text[i:j] of 16 to 31 bytes, and their number.
func packLong(text []byte, i, j int) (key [4]uint64) {
	var end [32]byte
	if i+32 > len(text) {
		copy(end[:], text[i:])
		text, i, j = end[:], 0, j-i
	}
	size, b := j-i, text[i:i+32]
	key[0] = binary.LittleEndian.Uint64(b)
	key[1] = binary.LittleEndian.Uint64(b[8:])
	key[2] = binary.LittleEndian.Uint64(b[16:])
	if size < 24 {
		key[2] &= 1<<(8*(size-16)) - 1
	} else {
		key[3] = binary.LittleEndian.Uint64(b[24:]) & (1<<(8*(size-24)) - 1)
	}
	key[3] |= uint64(size%16) << 56
	return key
}

// packWord reads up to 7 bytes.
func packWord(b []byte) (w uint64) {
	switch n := len(b); {
	case n >= 4:
		// Two reads that overlap hold every byte.
		low, high := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[n-4:])
		return uint64(low) | uint64(high)<<(8*(n-4))
	case n >= 2:
		return uint64(binary.LittleEndian.Uint16(b)) | uint64(b[n-1])<<(8*(n-1))
	case n == 1:
		return uint64(b[0])
	}
	return 0
}

// set32 is a set of words of 32 bits. A slot is inverted, so that zero is an empty one; the word
// that is all ones is never a token: it is not UTF-8, nor a part of any.
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

// textSet is a set of texts of more than 15 bytes.
type textSet struct {
	slots []uint32 // one more than the number of a text, zero where there is none
	shift uint8
	texts []byte
	ends  []uint32
}

func newTextSet(entries int) textSet {
	size := bits.Len(uint(entries)*3/2 + 16)
	return textSet{
		slots: make([]uint32, 1<<size),
		shift: uint8(64 - size),
		ends:  make([]uint32, 1, entries+1),
	}
}

// hash reads a text of at least 16 bytes.
func (s *textSet) hash(text []byte) uint64 {
	end := text[len(text)-16:]
	h := uint64(len(text))
	for ; len(text) > 16; text = text[8:] {
		h = longHash(h, binary.LittleEndian.Uint64(text))
		if len(text) < 24 {
			break
		}
	}
	h ^= binary.LittleEndian.Uint64(end)
	return longHash(h, binary.LittleEndian.Uint64(end[8:])) >> s.shift
}

func (s *textSet) add(text []byte) {
	i := s.hash(text)
	for s.slots[i] != 0 {
		i = (i + 1) & uint64(len(s.slots)-1)
	}
	s.slots[i] = uint32(len(s.ends))
	s.texts = append(s.texts, text...)
	s.ends = append(s.ends, uint32(len(s.texts)))
}

func (s *textSet) has(text []byte) bool {
	if len(text) > maxTokenBytes {
		return false
	}
	for i := s.hash(text); ; i++ {
		n := s.slots[i&uint64(len(s.slots)-1)]
		if n == 0 {
			return false
		}
		if string(s.texts[s.ends[n-1]:s.ends[n]]) == string(text) {
			return true
		}
	}
}
