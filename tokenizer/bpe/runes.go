package bpe

import "unicode/utf8"

// beside holds the runes that are side by side in tokens. Nearly all pairs of runes are in none:
// where two of them meet in a text, no merge ever reaches across, so that both sides count alone.
// In scripts that are written without spaces this cuts a piece every other rune.
type beside struct {
	likely bitmap // of the keys of pairs
	pairs  table  // two runes → the token that they merge into, or one of the values below
}

const (
	// apart is the value of runes that are in one token but do not merge.
	apart rank = 1<<valueBits - 1 - iota
	// crossed is that of runes at a border that a token crosses (see borders).
	crossed
)

func besideKey(a, b rune) uint64 { return uint64(a)<<21 | uint64(b) }

// newBeside needs the runes, the borders and the merges of v.
func newBeside(v *vocab, m *merges) *beside {
	b := &beside{likely: newBitmap(1 << 19), pairs: newTable(1 << 14)}
	for r := 256; r < len(m.halves); r++ {
		token, right := m.of(rank(r)), m.of(m.halves[r][1])
		i := len(token) - len(right)
		switch {
		case len(token) == 0:
		case i > 0 && utf8.RuneStart(right[0]) && utf8.FullRune(right):
			// What is side by side within the halves was found in them.
			before, size := utf8.DecodeLastRune(token[:i])
			if after, _ := utf8.DecodeRune(right); before != utf8.RuneError || size > 1 {
				b.add(v, before, after, token[i-1], right[0])
			}
		default: // the halves meet within a rune
			b.addAll(v, token)
		}
	}
	return b
}

// addAll adds the runes that are side by side in a token.
func (b *beside) addAll(v *vocab, token []byte) {
	before := rune(-1)
	for i := 0; i < len(token); {
		r, size := utf8.DecodeRune(token[i:])
		if r == utf8.RuneError && size == 1 {
			r = -1
		} else if before >= 0 {
			b.add(v, before, r, token[i-1], token[i])
		}
		before = r
		i += size
	}
}

func (b *beside) add(v *vocab, x, y rune, last, first byte) {
	key := besideKey(x, y)
	if b.pairs.get(key) != none {
		return
	}
	if b.pairs.full() {
		b.pairs = b.pairs.doubled()
	}
	b.likely.add(key)
	b.pairs.add(key, v.meeting(x, y, last, first))
}

// meeting returns the value of two runes that are in one token; last and first are the bytes at
// their border.
func (v *vocab) meeting(x, y rune, last, first byte) rank {
	a, b := v.ofRune(x), v.ofRune(y)
	if v.borders.crossed(x, y, a, b, last, first) {
		return crossed
	}
	if a != none && b != none {
		if r := v.pair(a, b); r != none {
			return r
		}
	}
	return apart
}

// get returns the value of two runes, none if they are in no token.
func (b *beside) get(x, y rune) rank {
	key := besideKey(x, y)
	if !b.likely.has(key) {
		return none
	}
	return b.pairs.get(key)
}

// countRunes counts a piece that holds runes of several bytes: each stretch
// between runes that are never side by side by itself.
func (t *tally) countRunes(piece []byte) (n int) {
	v, m := t.vocab, &t.scratch().merging
	start := 0    // of the stretch
	parts := 0    // its runes so far
	whole := true // all of them are tokens, and no border between them is crossed
	before, beforeToken := rune(-1), none
	for i := 0; i < len(piece); {
		r, size := decode(piece, i)
		token := v.ofRune(r)
		if before >= 0 {
			next := v.beside.get(before, r)
			if next == none &&
				v.borders.crossed(before, r, beforeToken, token, piece[i-1], piece[i]) {
				next = crossed
			}
			switch next {
			case none:
				n += t.countStretch(piece[start:i], parts, whole)
				start, parts, whole = i, 0, true
			case crossed:
				whole = false
			default:
				m.keys[parts%len(m.keys)] = keyOf(next, parts)
			}
		}
		if token == none || parts == maxParts {
			whole = false
		} else {
			parts++
			m.tokens[parts] = token
		}
		before, beforeToken = r, token
		i += size
	}
	return n + t.countStretch(piece[start:], parts, whole)
}

// countStretch counts what no merge reaches out of. If whole, its parts and what they merge into
// are in the scratch.
func (t *tally) countStretch(piece []byte, parts int, whole bool) int {
	m := &t.sc.merging
	switch {
	case !whole:
		return t.countMerging(piece)
	case parts == 1:
		return 1
	case parts == 2 && m.keys[1] == noKey:
		return 2
	case parts == 2:
		return 1
	case parts == 3:
		return t.countThreeParts(m)
	}
	m.n = parts
	return t.reduce(m)
}

// countThreeParts is reduce of three parts.
func (v *vocab) countThreeParts(m *merging) int {
	var next rank
	switch low := min(m.keys[1], m.keys[2]); {
	case low == noKey:
		return 3
	case low == m.keys[1]:
		next = v.pair(low>>placeBits, m.tokens[3])
	default:
		next = v.pair(m.tokens[1], low>>placeBits)
	}
	if next == none {
		return 2
	}
	return 1
}

// countMerging counts a piece of any length.
func (t *tally) countMerging(piece []byte) int {
	switch len(piece) {
	case 2:
		return t.countTwo(piece)
	case 3:
		if t.three.has(uint32(packWord(piece))) {
			return 1
		}
		return t.countThree(piece)
	case 4:
		if t.four.has(uint32(packWord(piece))) {
			return 1
		}
		return t.countFour(piece)
	}
	if n, ok := t.countParts(piece, &t.sc.merging); ok {
		return n
	}
	if n, ok := t.countLong(piece, t.sc.back); ok {
		return n
	}
	// Not known to happen: with room for every byte it cannot.
	n, _ := t.countLong(piece, newBacktrack(len(piece)))
	return n
}
