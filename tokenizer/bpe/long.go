package bpe

// meet reports whether a followed by b is how their bytes together are encoded.
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
	dead    []uint64
	stretch stretching
	steps   int // tokens that were tried so far, for tests
}

func newBacktrack(window int) *backtrack {
	return &backtrack{
		stack: make([]rank, window),
		dead:  make([]uint64, window*(maxTokenBytes+1)/64+4),
	}
}

func (b *backtrack) bit(pos int) (word *uint64, mask uint64) {
	pos %= len(b.dead) * 64
	return &b.dead[pos/64], 1 << (pos % 64)
}

func (b *backtrack) isDead(pos int) bool {
	word, mask := b.bit(pos)
	return *word&mask != 0
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

// countLong counts a piece of any length in time linear in it. Tokens that meet
// one another in a row are the encoding of their bytes, so they are taken one by
// one, each where it meets the one before: first those that a stretch of the
// piece merges to on its own, for they nearly always do; else the longest that
// fits, then shorter ones; and where none does, the one before is taken back.
// How far back is bounded by the vocabulary and far less than a window in
// practice; ok is false where it was not.
func (v *vocab) countLong(piece []byte, b *backtrack) (n int, ok bool) {
	var (
		top   int // tokens on the stack
		done  int // tokens that have left it below
		base  int // where the lowest on it starts
		pos   int // where the next one starts
		far   int // the farthest position known to be dead
		ahead stretch
	)
	defer func() { b.revive(base, far+1) }()
	for {
		b.steps++
		token, met := ahead.next(v, piece[pos:], &b.stretch)
		if token == none || b.isDead(pos+int(v.length[token])) ||
			!met && !v.fits(b, top, pos, token) {
			ahead.stop()
			p := v.prefixes()
			for token = p.longest(piece[pos:]); token != none && !v.fits(b, top, pos, token); {
				token = p.shorter[token]
				b.steps++
			}
		}
		if token == none {
			word, mask := b.bit(pos)
			*word |= mask
			far = max(far, pos)
			top--
			pos -= int(v.length[b.stack[top]])
			if top == 0 && done > 0 {
				return 0, false
			}
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
		if pos += int(v.length[token]); pos == len(piece) {
			return done + top, true
		}
	}
}

// fits reports whether token can be taken at pos.
func (v *vocab) fits(b *backtrack, top, pos int, token rank) bool {
	return !b.isDead(pos+int(v.length[token])) && (top == 0 || v.meet(b.stack[top-1], token))
}
