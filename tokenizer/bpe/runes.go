package bpe

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
