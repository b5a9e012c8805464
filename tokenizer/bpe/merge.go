package bpe

import (
	"math/bits"
	"unicode/utf8"
)

// maxParts bounds the pieces that are merged at once: a bit of a word for each part, two for what
// is around them, and a whole number of fours.
const maxParts = 60

// merging is the scratch in which the parts of a piece merge. Its parts are in places 1 to n. A
// part that was merged into the one before it leaves its place.
type merging struct {
	n      int
	tokens [maxParts + 4]rank
	// keys hold, for each part that merges with the next one, what they merge
	// into, and the place below it, so that the least key is that of the lowest
	// rank and of equals the leftmost.
	keys  [maxParts + 4]uint32
	alive uint64 // a bit for each place that is not left, the two around them included
	steps int    // parts that were inspected so far, for tests
}

const (
	placeBits = 6
	noKey     = 1<<32 - 1
	// noToken is around the parts. It is not a token and merges with nothing.
	noToken rank = maxRank
)

func keyOf(r rank, place int) uint32 {
	key := r<<placeBits | uint32(place)
	if r > maxRank {
		key = noKey
	}
	return key
}

// countParts counts a piece by merging, which is quadratic in its parts; ok is
// false if those are more than maxParts.
func (v *vocab) countParts(piece []byte, m *merging) (n int, ok bool) {
	if m.n = v.split(piece, m.tokens[1:1+maxParts]); m.n > maxParts {
		return 0, false
	}
	v.link(m)
	return v.reduce(m), true
}

// split fills tokens with what piece, valid UTF-8, can start to merge from: its runes where they
// are tokens, its bytes elsewhere. A rune may be whole where no token of the vocabulary reaches
// into it from outside: then nothing can keep its bytes from merging first (see borders). It
// returns the number of parts, one more than fit if there are too many.
func (v *vocab) split(piece []byte, tokens []rank) int {
	n, whole := 0, 0 // whole is the size of the rune that the last part is, 0 if it is a byte
	before := rune(-1)
	for i := 0; i < len(piece); {
		r, size := decode(piece, i)
		if n+utf8.UTFMax+size > len(tokens) {
			return len(tokens) + 1
		}
		token := v.ofRune(r)
		if before >= 0 && before|r >= utf8.RuneSelf &&
			v.borders.crossed(before, r, v.ofRune(before), token, piece[i-1], piece[i]) {
			if whole > 1 {
				n--
				for _, b := range piece[i-whole : i] {
					tokens[n] = v.single[b]
					n++
				}
			}
			if size > 1 {
				token = none
			}
		}
		if token == none {
			for _, b := range piece[i : i+size] {
				tokens[n] = v.single[b]
				n++
			}
			whole = 0
		} else {
			tokens[n] = token
			n++
			whole = size
		}
		before = r
		i += size
	}
	return n
}

// link finds what each part merges into with the next one.
func (v *vocab) link(m *merging) {
	for i := 1; i < m.n; i++ {
		a, b := m.tokens[i], m.tokens[i+1]
		var next rank
		if a|b >= 256 {
			next = v.pair(a, b)
		} else {
			next = v.bytePair(v.byteOf[a], v.byteOf[b])
		}
		m.keys[i] = keyOf(next, i)
	}
}

// reduce is byte pair encoding as published: the two neighbours of the lowest
// rank merge, the leftmost first, until none are left that do. It returns the
// number of parts left.
func (v *vocab) reduce(m *merging) int {
	n := m.n
	m.tokens[0], m.tokens[n+1] = noToken, noToken
	for i := n; i < n+4; i++ {
		m.keys[i&(len(m.keys)-1)] = noKey
	}
	alive := uint64(1)<<(n+2) - 1 // places of parts, and one before and after them
	left := n
	for {
		least := int64(noKey)
		for i := 1; i < n; i += 4 {
			k := (*[4]uint32)(m.keys[i:])
			low, high := lesser(int64(k[0]), int64(k[1])), lesser(int64(k[2]), int64(k[3]))
			least = lesser(least, lesser(low, high))
		}
		if least == noKey {
			m.alive = alive
			m.steps += n * (n - left + 1)
			return left
		}
		low := uint32(least)
		token, at := low>>placeBits, low%(1<<placeBits)
		gone := at + 1 + uint32(bits.TrailingZeros64(alive>>(at+1)))
		alive &^= 1 << gone
		left--
		after := gone + 1 + uint32(bits.TrailingZeros64(alive>>(gone+1)))
		before := uint32(bits.Len64(alive&(1<<at-1))) - 1
		m.tokens[at] = token
		m.keys[gone] = noKey
		m.keys[at] = keyOf(v.pair(token, m.tokens[after]), int(at))
		m.keys[before] = keyOf(v.pair(m.tokens[before], token), int(before))
	}
}

// lesser is min of numbers that are not far apart, without a branch: which one is
// less cannot be predicted.
func lesser(a, b int64) int64 { return b + (a-b)&((a-b)>>63) }

// rest returns the tokens that are left, in order.
func (m *merging) rest() []rank {
	to := 0
	for places := m.alive &^ 1; ; to++ {
		at := bits.TrailingZeros64(places)
		if places &= places - 1; places == 0 { // what follows the parts
			return m.tokens[1 : 1+to]
		}
		m.tokens[1+to] = m.tokens[at]
	}
}

// Pieces of two to four bytes are counted by the few ways in which they can
// merge, without a loop.

func (v *vocab) countTwo(p []byte) int {
	if v.bytePair(p[0], p[1]) != none {
		return 1
	}
	return 2
}

// countThree counts three bytes that are not a token: at most one merge is left.
func (v *vocab) countThree(p []byte) int {
	if v.bytePair(p[0], p[1])&v.bytePair(p[1], p[2]) != none {
		return 2
	}
	return 3
}

// countFour counts four bytes that are not a token. Whatever merges first, a
// second merge leaves two tokens, and a third would make the token that they are
// not.
func (v *vocab) countFour(p []byte) int {
	ab, bc, cd := v.bytePair(p[0], p[1]), v.bytePair(p[1], p[2]), v.bytePair(p[2], p[3])
	var second rank // not none if there is a second merge
	switch min(ab, bc, cd) {
	case none:
		return 4
	case ab:
		second = cd & v.pair(ab, v.single[p[2]])
	case bc:
		second = v.pair(v.single[p[0]], bc) & v.pair(bc, v.single[p[3]])
	default:
		second = ab & v.pair(v.single[p[1]], cd)
	}
	if second != none {
		return 2
	}
	return 3
}
