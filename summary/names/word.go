package names

import (
	"math/bits"
	"unicode/utf8"

	"killick/reference"
)

// Each fold ranks the whole table. Facts that follow from a word alone are therefore kept with it,
// and names are compared by numbers where these decide.

// wordFacts is what follows from the word of a reference alone.
type wordFacts struct {
	beginning uint64 // the first eight bytes, as a number that sorts as they do
	worth     int32  // its share of the reference's worth
	hash      uint32
}

func factsOf(word string, kind reference.Kind) wordFacts {
	return wordFacts{beginning(word), worthOf(word, kind), hashOf(word)}
}

// beginning returns the first eight bytes of a word as a number that sorts as they do.
func beginning(word string) (n uint64) {
	if len(word) >= 8 {
		w := word[:8]
		return uint64(w[7]) | uint64(w[6])<<8 | uint64(w[5])<<16 | uint64(w[4])<<24 |
			uint64(w[3])<<32 | uint64(w[2])<<40 | uint64(w[1])<<48 | uint64(w[0])<<56
	}
	for i := range len(word) {
		n |= uint64(word[i]) << (56 - 8*i)
	}
	return n
}

// hashOf returns a hash of the ends of a word and of its length.
func hashOf(word string) uint32 {
	const odd, other = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	first, last := beginning(word), beginning(word[max(0, len(word)-8):])
	high, low := bits.Mul64(first^odd, bits.RotateLeft64(last, 17)^uint64(len(word))*other)
	return uint32((high ^ low) >> 32)
}

// wordFilter is a set of words by their hashes. It may report words that were not added.
type wordFilter [filterBits / 64]uint64

const filterBits = 1 << 15

func (f *wordFilter) add(hash uint32) {
	hash %= filterBits
	f[hash/64] |= 1 << (hash % 64)
}

func (f *wordFilter) mayHold(hash uint32) bool {
	hash %= filterBits
	return f[hash/64]&(1<<(hash%64)) != 0
}

// worthOf returns the share of a reference's worth that follows from its word alone.
func worthOf(word string, kind reference.Kind) int32 {
	w := -5 * log2(1+int32(listingCost(word)))
	if kind == reference.Number {
		w -= 50 * 16
	} else if hasDigit(word) {
		w -= 9 * 16
	}
	return w
}

func hasDigit(word string) bool {
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			return true
		}
	}
	return false
}

// listingCost estimates the tokens that a reference takes in a list: about one for every three
// characters, and one for the space.
func listingCost(word string) int { return 1 + utf8.RuneCountInString(word)*5/16 }

// log2 returns the base-2 logarithm of n in sixteenths, rounded down, with linear interpolation
// between powers of two; 0 for less than 1.
func log2(n int32) int32 {
	if n < 1 {
		return 0
	}
	power := bits.Len32(uint32(n)) - 1
	return int32(16*power) + int32((int64(n)<<4)>>power) - 16
}
