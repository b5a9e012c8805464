package tokenizer

// merge is byte pair encoding as published: the two neighbours of the lowest
// rank merge, the leftmost first, until none are left that do. It leaves the
// tokens in parts and returns their number; next is scratch. Its time is
// quadratic in the piece, which must fit both.
func (v *vocab) merge(piece []byte, parts, next []rank) int {
	n := len(piece)
	parts, next = parts[:n], next[:n] // next[i] is what parts i and i+1 merge into
	for i := range n {
		parts[i] = v.single[piece[i]]
		if i+1 < n {
			next[i] = v.two[int(piece[i])<<8|int(piece[i+1])]
			if int(next[i]) >= v.tokens {
				next[i] = none
			}
		}
	}
	for n > 1 {
		low, at := none, 0
		for i := range n - 1 {
			if next[i] < low {
				low, at = next[i], i
			}
		}
		if low == none {
			break
		}
		parts[at] = low
		copy(parts[at+1:n-1], parts[at+2:n])
		copy(next[at+1:n-1], next[at+2:n])
		n--
		if at > 0 {
			next[at-1] = v.pair(parts[at-1], low)
		}
		if at+1 < n {
			next[at] = v.pair(low, parts[at+1])
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
