package tokenizer

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
		low, at := none, 0
		for i := range parts[:n-1] {
			if r := parts[i].next; r < low {
				low, at = r, i
			}
		}
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

// longest returns the longest token that text, which is not empty, starts with.
func (v *vocab) longest(text []byte) rank {
	found := v.single[text[0]]
	if len(text) == 1 {
		return found
	}
	node := v.two[int(text[0])<<8|int(text[1])]
	for i := 2; node != none; i++ {
		if int(node) < v.tokens {
			found = node
		}
		if i >= len(text) {
			break
		}
		node = v.trie.get(trieKey(node, text[i]))
	}
	return found
}

// meet tells whether a followed by b is how their bytes together are encoded.
// It undoes the merges of both at their common border, the latest first, and
// looks for a merge across the border that would have come before the one
// undone. (The linear encoding by pairs is published with GitHub's bpe crate.)
func (v *vocab) meet(a, b rank) bool {
	limit := none // merges from this rank on come too late
	for {
		if across := v.pair(a, b); across < limit {
			return false
		}
		if a > b {
			if a < 256 {
				return true
			}
			limit, a = a, v.halves[a][1]
		} else {
			if b < 256 {
				return true
			}
			// Of equal ranks the leftmost merges first: across the border.
			limit, b = b+1, v.halves[b][0]
		}
	}
}

// backtrack is the scratch of countLong: of one size, whatever the piece.
type backtrack struct {
	stack []rank // the last tokens taken, to go back to
	// dead holds a bit for each position that no encoding reaches, over the
	// bytes that the stack can span and a token beyond.
	dead []uint64
}

// mostTokenBytes bounds the length of a token.
const mostTokenBytes = 255

func newBacktrack(window int) *backtrack {
	return &backtrack{stack: make([]rank, window), dead: make([]uint64, window*(mostTokenBytes+1)/64+4)}
}

func (b *backtrack) bit(pos int) (word *uint64, mask uint64) {
	pos %= len(b.dead) * 64
	return &b.dead[pos/64], 1 << (pos % 64)
}

// revive clears the bits of the positions [from, to).
func (b *backtrack) revive(from, to int) {
	for from < to {
		word, mask := b.bit(from)
		if mask == 1 && to-from >= 64 {
			*word, from = 0, from+64
		} else {
			*word, from = *word&^mask, from+1
		}
	}
}

// countLong counts a piece of any length in time linear in it: the longest
// token that fits is taken, a shorter one where that one does not meet the
// token before, and a token is taken back where none does. How far back is
// bounded by the vocabulary and far less than a window in practice; ok is false
// where it was not.
func (v *vocab) countLong(piece []byte, b *backtrack) (n int, ok bool) {
	var (
		top   int // tokens on the stack
		done  int // tokens that have left it below
		base  int // where the lowest on it starts
		pos   int // where the next one starts
		far   int // the farthest position known to be dead
		token = v.longest(piece)
	)
	defer func() { b.revive(base, far+1) }()
	for {
		for ; token != none; token = v.prefix[token] {
			word, mask := b.bit(pos + int(v.length[token]))
			if *word&mask == 0 && (top == 0 || v.meet(b.stack[top-1], token)) {
				break
			}
		}
		if token == none {
			word, mask := b.bit(pos)
			*word |= mask
			far = max(far, pos)
			if top--; top == 0 && done > 0 {
				return 0, false
			}
			token = b.stack[top]
			pos -= int(v.length[token])
			continue
		}
		if top == len(b.stack) {
			half := top / 2
			for _, t := range b.stack[:half] {
				b.revive(base, base+int(v.length[t]))
				base += int(v.length[t])
			}
			done += half
			top = copy(b.stack, b.stack[half:])
		}
		b.stack[top] = token
		top++
		pos += int(v.length[token])
		if pos == len(piece) {
			return done + top, true
		}
		token = v.longest(piece[pos:])
	}
}
