package bpe

import (
	"sync"
	"unicode/utf8"
)

// vocab is a vocabulary prepared for counting. It is immutable once built.
type vocab struct {
	tokens int // ranks below this one are tokens

	single [256]rank     // of each byte
	byteOf [256]byte     // of each rank that is one byte
	runes  [1 << 16]rank // of each rune of up to three bytes, none if it is not a token
	two    [1 << 16]rank // the token of two bytes, none if there is none

	length []uint8   // of each token in bytes
	halves [][2]rank // what each token merges from; itself twice for a byte

	three  set32   // the tokens of 3 bytes
	four   set32   // of 4
	short  set64   // of 5 to 7
	middle set128  // of 8 to 15
	whole  textSet // of more

	pairs   *pairTable // two tokens → the token they merge into
	borders *borders
	beside  *beside

	// prefixes are built when a piece first needs them. Hardly any does.
	prefixes func() *prefixes
}

// newVocab prepares a vocabulary.
func newVocab(m *merges) (*vocab, error) {
	v := &vocab{
		tokens: len(m.halves),
		byteOf: m.single,
		length: make([]uint8, len(m.halves)),
		halves: m.halves,
	}
	for r, b := range m.single {
		v.single[b] = rank(r)
	}
	v.buildSets(m)
	v.borders = newBorders(m)
	entries := make([]pairEntry, 0, v.tokens)
	for r, half := range m.halves {
		if half[0] != rank(r) {
			entries = append(entries, pairEntry{pairKey(half[0], half[1]), rank(r)})
		}
	}
	var err error
	if v.pairs, err = newPairTable(entries); err != nil {
		return nil, err
	}
	v.beside = newBeside(m, v.meeting)
	v.prefixes = sync.OnceValue(func() *prefixes { return newPrefixes(m) })
	return v, nil
}

func (v *vocab) buildSets(m *merges) {
	for i := range v.runes {
		v.runes[i], v.two[i] = none, none
	}
	var sizes [maxTokenBytes + 1]int
	for r := range m.ends {
		v.length[r] = uint8(len(m.of(rank(r))))
		sizes[v.length[r]]++
	}
	sum := func(sizes []int) (n int) {
		for _, size := range sizes {
			n += size
		}
		return n
	}
	v.three, v.four = newSet32(sizes[3]), newSet32(sizes[4])
	v.short, v.middle = newSet64(sum(sizes[5:8])), newSet128(sum(sizes[8:16]))
	v.whole = newTextSet(sum(sizes[16:]))
	// By rank, so that the commonest are where they are looked for first.
	for i := range m.ends {
		token := m.of(rank(i))
		size := len(token)
		if size > 0 && size < utf8.UTFMax {
			r, n := utf8.DecodeRune(token)
			if n == size && (r != utf8.RuneError || n > 1) {
				v.runes[r] = rank(i)
			}
		}
		switch {
		case size < 2:
		case size == 2:
			v.two[int(token[0])<<8|int(token[1])] = rank(i)
		case size == 3:
			v.three.add(uint32(packWord(token)))
		case size == 4:
			v.four.add(uint32(packWord(token)))
		case size <= 7:
			lo, _ := packKey(token)
			v.short.add(lo)
		case size <= 15:
			v.middle.add(packKey(token))
		default:
			v.whole.add(token)
		}
	}
}

// ofRune returns the token that a rune is, none if it is none.
func (v *vocab) ofRune(r rune) rank {
	if r < 1<<16 {
		return v.runes[r]
	}
	return none
}

// pair returns the token that a and b merge into, none if they do not.
func (v *vocab) pair(a, b rank) rank { return v.pairs.get(pairKey(a, b)) }

// bytePair returns the token of two bytes, none if they are not one.
func (v *vocab) bytePair(a, b byte) rank { return v.two[int(a)<<8|int(b)] }

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
