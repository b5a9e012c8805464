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
