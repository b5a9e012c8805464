package bpe

import "unicode/utf8"

// mostParts bounds the pieces that are merged in quadratic time.
const mostParts = 48

// countParts counts a piece by merging, which is quadratic in its parts; ok is
// false if those are more than mostParts.
func (v *vocab) countParts(piece []byte, m *merging) (n int, ok bool) {
	if n = v.split(piece, m[:]); n > mostParts {
		return 0, false
	}
	return v.merge(m[:n]), true
}

// merging is the scratch of countParts.
type merging [mostParts]part

// part is a token that a piece has merged into so far.
type part struct {
	token rank
	next  rank // what it and the part after it merge into
}

// split fills parts with what piece, valid UTF-8, can start to merge from: its
// runes where they are tokens, its bytes elsewhere. A rune may stand whole
// where no token of the vocabulary reaches into it from outside: then nothing
// can keep its bytes from merging first (see border). It returns the number of
// parts, one more than fit if there are too many.
func (v *vocab) split(piece []byte, parts []part) int {
	n, whole := 0, 0 // whole is the size of the rune that the last part is, 0 if it is a byte
	before := rune(-1)
	for i := 0; i < len(piece); {
		if n+2*utf8.UTFMax > len(parts) {
			return len(parts) + 1
		}
		r, size := rune(piece[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(piece[i:])
		}
		token := none
		if r < 1<<16 {
			token = v.runes[r]
		}
		if before >= 0 && before|r >= utf8.RuneSelf && v.borders.crossed(before, r, piece[i-1], piece[i]) {
			if whole > 1 {
				n--
				for _, b := range piece[i-whole : i] {
					parts[n].token = v.single[b]
					n++
				}
			}
			if size > 1 {
				token = none
			}
		}
		if token == none {
			for _, b := range piece[i : i+size] {
				parts[n].token = v.single[b]
				n++
			}
			whole = 0
		} else {
			parts[n].token = token
			n++
			whole = size
		}
		before = r
		i += size
	}
	return n
}

// merge is byte pair encoding as published: the two neighbours of the lowest
// rank merge, the leftmost first, until none are left that do. It returns the
// number of parts left.
func (v *vocab) merge(parts []part) int {
	n := len(parts)
	for i := range n - 1 {
		a, b := parts[i].token, parts[i+1].token
		if a|b >= 256 {
			parts[i].next = v.pair(a, b)
		} else if r := v.two[int(v.byteOf[a])<<8|int(v.byteOf[b])]; int(r) < v.tokens {
			parts[i].next = r
		} else {
			parts[i].next = none
		}
	}
	for n > 1 {
		// The lowest rank with its place below it: no branches, and the leftmost
		// of equals.
		lowest := uint64(none) << 32
		for i := range parts[:n-1] {
			lowest = min(lowest, uint64(parts[i].next)<<32|uint64(i))
		}
		low, at := rank(lowest>>32), int(uint32(lowest))
		if low == none {
			break
		}
		parts[at].token = low
		n--
		copy(parts[at+1:n], parts[at+2:n+1])
		if at > 0 {
			parts[at-1].next = v.pair(parts[at-1].token, low)
		}
		if at+1 < n {
			parts[at].next = v.pair(low, parts[at+1].token)
		}
	}
	return n
}

// pair returns the token that a and b merge into, none if they do not.
func (v *vocab) pair(a, b rank) rank {
	if key := pairKey(a, b); v.likely.has(key) {
		return v.pairs.get(key)
	}
	return none
}
