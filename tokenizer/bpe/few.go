package bpe

// Pieces of two to four bytes are counted by the few ways in which they can
// merge, without a loop.

func (v *vocab) countTwo(p []byte) int {
	if v.bytePair(p[0], p[1]) != none {
		return 1
	}
	return 2
}

// countThree counts three bytes that are not a token: at most one merge is left.
func (v *vocab) countThree(p []byte) int {
	if v.bytePair(p[0], p[1])&v.bytePair(p[1], p[2]) != none {
		return 2
	}
	return 3
}

// countFour counts four bytes that are not a token. Whatever merges first, a
// second merge leaves two tokens, and a third would make the token that they are
// not.
func (v *vocab) countFour(p []byte) int {
	ab, bc, cd := v.bytePair(p[0], p[1]), v.bytePair(p[1], p[2]), v.bytePair(p[2], p[3])
	var second rank // not none if there is a second merge
	switch min(ab, bc, cd) {
	case none:
		return 4
	case ab:
		second = cd & v.pair(ab, v.single[p[2]])
	case bc:
		second = v.pair(v.single[p[0]], bc) & v.pair(bc, v.single[p[3]])
	default:
		second = ab & v.pair(v.single[p[1]], cd)
	}
	if second != none {
		return 2
	}
	return 3
}
