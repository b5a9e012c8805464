package bpe

import (
	"encoding/binary"
	"unicode/utf8"
)

// Masks for four runes of two bytes and for two runes of three in a word of eight bytes: the bits
// that give the length of a rune, and their values.
const (
	twosMask, twos     = 0xC0E0C0E0C0E0C0E0, 0x80C080C080C080C0
	threesMask, threes = 0x0000C0C0F0C0C0F0, 0x00008080E08080E0
)

// valid is utf8.Valid, faster for text in which runes of two bytes, or of three,
// follow one another.
func valid(text []byte) bool {
	for i := 0; i < len(text); {
		if i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			switch {
			case w&wideBytes == 0:
				i += 8
				continue
			// 0xC0 and 0xC1 start no rune: of each start a bit from 0x1E is set.
			case w&twosMask == twos &&
				w&0x1E != 0 && w&(0x1E<<16) != 0 && w&(0x1E<<32) != 0 && w&(0x1E<<48) != 0:
				i += 8
				continue
			case w&threesMask == threes &&
				plainThree(byte(w), byte(w>>8)) && plainThree(byte(w>>24), byte(w>>32)):
				i += 6
				continue
			}
		}
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return false
		}
		i += size
	}
	return true
}

// plainThree reports whether a rune of three bytes may start with a and b: neither
// could it be written in two, nor is it half of a surrogate pair.
func plainThree(a, b byte) bool {
	return a != 0xE0 && a != 0xED || a == 0xE0 && b >= 0xA0 || a == 0xED && b < 0xA0
}

// wideBytes has the upper bit of every byte, which those of runes of several
// bytes have.
const wideBytes = 0x80 * ones

const ones = 0x0101010101010101

// decode returns the rune of valid UTF-8 that starts at i, and its size.
func decode(text []byte, i int) (r rune, size int) {
	switch b := text[i]; {
	case b < utf8.RuneSelf:
		return rune(b), 1
	case b < 0xE0:
		return rune(b&0x1F)<<6 | rune(text[i+1]&0x3F), 2
	case b < 0xF0:
		return rune(b&0x0F)<<12 | rune(text[i+1]&0x3F)<<6 | rune(text[i+2]&0x3F), 3
	}
	r = rune(text[i]&0x07)<<18 | rune(text[i+1]&0x3F)<<12
	return r | rune(text[i+2]&0x3F)<<6 | rune(text[i+3]&0x3F), 4
}
