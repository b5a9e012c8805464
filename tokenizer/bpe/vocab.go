package bpe

import (
	"fmt"
	"unicode/utf8"
)

// A token is known by its rank: the lower, the earlier its two halves merge.
// The ranks below 256 are the single bytes.
type rank = uint32

const (
	none     rank = 1<<32 - 1
	rankBits      = 18 // of a rank in a packed entry
	nodeBits      = 19 // of a node of the trie
	mostRank      = 1<<rankBits - 1
)

// vocab is a vocabulary prepared for counting. It is immutable once built.
type vocab struct {
	tokens int // ranks below this one are tokens

	single [256]rank     // of each byte
	byteOf [256]byte     // of each rank that is one byte
	runes  [1 << 16]rank // of each rune of up to three bytes, none if it is no token
	two    [1 << 16]rank // node of the trie reached by two bytes, none if there is none

	length []uint8   // of each token in bytes
	prefix []rank    // the longest token that each token starts with, none for a byte
	halves [][2]rank // what each token merges from; itself twice for a byte

	three  set32      // the tokens of 3 bytes
	four   set32      // of 4
	short  set64      // of 5 to 7
	middle set128     // of 8 to 15
	trie   table      // node and byte → node; nodes below tokens are those tokens
	pairs  *pairTable // two tokens → the token they merge into

	borders *borders
	beside  *beside
	whole   textSet // of the tokens of more than 15 bytes
}

// newVocab prepares the tokens, given by rank.
func newVocab(tokens [][]byte) (*vocab, error) {
	v := &vocab{
		tokens: len(tokens),
		length: make([]uint8, len(tokens)),
		prefix: make([]rank, len(tokens)),
		halves: make([][2]rank, len(tokens)),
	}
	for i := range v.single {
		v.single[i] = none
	}
	for r, token := range tokens {
		switch {
		case len(token) == 1 && r < 256:
			v.single[token[0]] = rank(r)
			v.byteOf[r] = token[0]
		case token != nil && (len(token) < 2 || len(token) > mostTokenBytes || r < 256):
			return nil, fmt.Errorf("token %d has %d bytes, want 1 below rank 256 and 2 to %d from there", r, len(token), mostTokenBytes)
		}
	}
	for b, r := range v.single {
		if r == none {
			return nil, fmt.Errorf("byte %#x is no token", b)
		}
	}
	v.buildSets(tokens)
	if err := v.buildMerges(tokens); err != nil {
		return nil, err
	}
	v.beside = newBeside(v, tokens)
	return v, v.buildTrie(tokens)
}

func (v *vocab) buildSets(tokens [][]byte) {
	for i := range v.runes {
		v.runes[i] = none
	}
	v.borders = newBorders(tokens)
	var sizes [mostTokenBytes + 1]int
	for _, token := range tokens {
		sizes[len(token)]++
	}
	long := 0
	for _, n := range sizes[16:] {
		long += n
	}
	v.whole = newTextSet(long)
	middle := 0
	for _, n := range sizes[8:16] {
		middle += n
	}
	v.three, v.four = newSet32(sizes[3]), newSet32(sizes[4])
	v.short, v.middle = newSet64(sizes[5]+sizes[6]+sizes[7]), newSet128(middle)
	for i, token := range tokens { // by rank, so that the commonest stand where they are looked for first
		size := len(token)
		if r, n := utf8.DecodeRune(token); n == size && r < 1<<16 && (r != utf8.RuneError || n > 1) {
			v.runes[r] = rank(i)
		}
		switch {
		case size < 3:
		case size > 15:
			v.whole.add(token)
		case size == 3:
			v.three.add(uint32(packWord(token)))
		case size == 4:
			v.four.add(uint32(packWord(token)))
		case size <= 7:
			lo, _ := packKey(token)
			v.short.add(lo)
		default:
			v.middle.add(packKey(token))
		}
	}
}

// buildMerges finds the halves of every token: what its bytes merge into by the
// tokens of lower ranks. That there are always two is what makes counting by
// pairs exact, so it is checked.
func (v *vocab) buildMerges(tokens [][]byte) error {
	for i := range v.two {
		v.two[i] = none
	}
	known := newTable(len(tokens) * 5 / 4)
	entries := make([]pairEntry, 0, len(tokens))
	var parts [mostTokenBytes]rank
	for r, token := range tokens {
		r := rank(r)
		v.length[r] = uint8(len(token))
		v.halves[r] = [2]rank{r, r}
		if len(token) < 2 {
			continue
		}
		for i, b := range token {
			parts[i] = v.single[b]
		}
		if n := mergeKnown(&known, parts[:len(token)]); n != 2 {
			return fmt.Errorf("token %d merges from %d parts, want 2", r, n)
		}
		v.halves[r] = [2]rank{parts[0], parts[1]}
		known.add(pairKey(parts[0], parts[1]), r)
		entries = append(entries, pairEntry{pairKey(parts[0], parts[1]), r})
		if len(token) == 2 {
			v.two[int(token[0])<<8|int(token[1])] = r
		}
	}
	var err error
	v.pairs, err = newPairTable(entries)
	return err
}

func mergeKnown(known *table, parts []rank) int {
	for len(parts) > 1 {
		low, at := none, 0
		for i := range len(parts) - 1 {
			if r := known.get(pairKey(parts[i], parts[i+1])); r < low {
				low, at = r, i
			}
		}
		if low == none {
			break
		}
		parts[at] = low
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	return len(parts)
}

// buildTrie adds every token and fills in the longest prefix of each.
func (v *vocab) buildTrie(tokens [][]byte) error {
	nodes := 0
	for _, token := range tokens {
		nodes += max(len(token)-2, 0)
	}
	v.trie = newTable(nodes * 3 / 8) // most share their beginnings with others
	// Shorter tokens come first: a node that is a token must be known as such
	// before one that leads past it is made.
	byLength := make([][]rank, mostTokenBytes+1)
	for r, token := range tokens {
		if token != nil {
			byLength[len(token)] = append(byLength[len(token)], rank(r))
		}
	}
	next := rank(v.tokens) // the next node that is no token
	for _, ranks := range byLength {
		for _, r := range ranks {
			var ok bool
			if v.prefix[r], next, ok = v.addToTrie(tokens[r], r, next); !ok {
				return fmt.Errorf("the trie has more than %d nodes, want tokens that share their beginnings", v.trie.used)
			}
		}
	}
	if next >= 1<<nodeBits {
		return fmt.Errorf("the trie has %d nodes, want less than %d", next, 1<<nodeBits)
	}
	return nil
}

// addToTrie adds a token, and nodes from next on where it needs them. It returns
// the longest token that it starts with. ok is false if the trie is full.
func (v *vocab) addToTrie(token []byte, r, next rank) (longest, _ rank, ok bool) {
	if len(token) < 2 {
		return none, next, true
	}
	longest = v.single[token[0]]
	node := &v.two[int(token[0])<<8|int(token[1])]
	if *node == none {
		*node, next = next, next+1
	}
	at := *node
	for i := 2; i < len(token); i++ {
		if int(at) < v.tokens {
			longest = at
		}
		key := trieKey(at, token[i])
		if at = v.trie.get(key); at != none {
			continue
		}
		if v.trie.full() {
			return none, next, false
		}
		if at = r; i < len(token)-1 {
			at, next = next, next+1
		}
		v.trie.add(key, at)
	}
	return longest, next, true
}
