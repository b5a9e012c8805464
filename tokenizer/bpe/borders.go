package bpe

import "unicode/utf8"

// borders say where a rune cannot be taken whole. Nearly all tokens start and end between runes. A
// few reach from within one rune into the next, and could take bytes of a rune before these have
// merged. Each of them is entered here by the two runes at the border that it crosses, with its
// rank. If that rank is higher than the rune's, the rune has merged by then, since ranks of
// successive merges never decrease. Everywhere else the bytes of a rune merge as if the rune were
// alone, and its neighbours only meet the result.
type borders struct {
	bytes [256]uint64 // a bit for each pair of bytes at such a border, the second one modulo 64
	ranks table       // the lowest rank of the tokens that cross one, by its runes
}

func newBorders(m *merges) *borders {
	b := &borders{ranks: newTable(1 << 12)}
	for r := range m.ends {
		rank := rank(r)
		token := m.of(rank)
		head := 0 // bytes of a rune that started before the token
		for head < len(token) && !utf8.RuneStart(token[head]) {
			head++
		}
		if head == len(token) {
			continue // within one rune
		}
		tail := len(token) // where a rune starts that ends after the token
		for i := 1; i < utf8.UTFMax && i <= len(token)-head; i++ {
			if start := len(token) - i; utf8.RuneStart(token[start]) {
				if !utf8.FullRune(token[start:]) {
					tail = start
				}
				break
			}
		}
		switch {
		case head > 0 && tail == head:
			b.add(bothKey(token[head-1], token[head]), token[head-1], token[head], rank)
			continue
		case head > 0:
			r, _ := utf8.DecodeRune(token[head:])
			b.add(headKey(token[head-1], r), token[head-1], token[head], rank)
		}
		if tail > head && tail < len(token) {
			r, _ := utf8.DecodeLastRune(token[head:tail])
			b.add(tailKey(r, token[tail]), token[tail-1], token[tail], rank)
		}
	}
	return b
}

func (b *borders) add(key uint64, last, first byte, r rank) {
	b.bytes[last] |= 1 << (first % 64)
	if b.ranks.get(key) != none { // of a lower rank
		return
	}
	if b.ranks.full() {
		b.ranks = b.ranks.doubled()
	}
	b.ranks.add(key, r)
}

// crossed reports whether a token may reach over the border between two runes, of the ranks given,
// and end within either before that has merged; last and first are the bytes at the border. A rune
// that is not a token has the rank none.
func (b *borders) crossed(before, after rune, rankBefore, rankAfter rank, last, first byte) bool {
	if b.bytes[last]&(1<<(first%64)) == 0 {
		return false
	}
	return b.ranks.get(headKey(last, after)) < rankBefore ||
		b.ranks.get(tailKey(before, first)) < rankAfter ||
		b.ranks.get(bothKey(last, first)) < max(rankBefore, rankAfter)
}

func headKey(last byte, after rune) uint64   { return 1<<32 | uint64(last)<<24 | uint64(after) }
func tailKey(before rune, first byte) uint64 { return 2<<32 | uint64(first)<<24 | uint64(before) }
func bothKey(last, first byte) uint64        { return 3<<32 | uint64(last)<<8 | uint64(first) }

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

// newBeside returns the runes that are side by side in tokens. meeting returns the value of two of
// them; last and first are the bytes at their border.
func newBeside(m *merges, meeting func(x, y rune, last, first byte) rank) *beside {
	b := &beside{likely: newBitmap(1 << 19), pairs: newTable(1 << 14)}
	note := func(x, y rune, last, first byte) {
		if key := besideKey(x, y); b.pairs.get(key) == none {
			b.add(key, meeting(x, y, last, first))
		}
	}
	for r := 256; r < len(m.halves); r++ {
		token, right := m.of(rank(r)), m.of(m.halves[r][1])
		i := len(token) - len(right)
		switch {
		case len(token) == 0:
		case i > 0 && utf8.RuneStart(right[0]) && utf8.FullRune(right):
			// What is side by side within the halves was found in them.
			before, size := utf8.DecodeLastRune(token[:i])
			if after, _ := utf8.DecodeRune(right); before != utf8.RuneError || size > 1 {
				note(before, after, token[i-1], right[0])
			}
		default: // the halves meet within a rune
			eachBeside(token, note)
		}
	}
	return b
}

// eachBeside calls yield with the runes that are side by side in a token, and the bytes at their
// border.
func eachBeside(token []byte, yield func(x, y rune, last, first byte)) {
	before := rune(-1)
	for i := 0; i < len(token); {
		r, size := utf8.DecodeRune(token[i:])
		if r == utf8.RuneError && size == 1 {
			r = -1
		} else if before >= 0 {
			yield(before, r, token[i-1], token[i])
		}
		before = r
		i += size
	}
}

func (b *beside) add(key uint64, value rank) {
	if b.pairs.full() {
		b.pairs = b.pairs.doubled()
	}
	b.likely.add(key)
	b.pairs.add(key, value)
}

// get returns the value of two runes, none if they are in no token.
func (b *beside) get(x, y rune) rank {
	key := besideKey(x, y)
	if !b.likely.has(key) {
		return none
	}
	return b.pairs.get(key)
}
