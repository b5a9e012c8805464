package bpe

import (
	"math/bits"
	"unicode/utf8"
)

// stretch proposes tokens for a piece: the tokens that some of its bytes merge into on their own,
// except the last ones, which might have merged with what follows.
type stretch struct {
	rest []rank // tokens not yet proposed
	wait int    // tokens to find another way before the next stretch
}

// Lengths of a stretch, in bytes, and of its end that is not proposed; and in
// how many tokens the next one is tried after one of its proposals failed.
// Where few bytes come over and over a stretch is longer: there the vocabulary
// has tokens of many lengths, and what they merge to shows only from afar.
const (
	stretchBytes = 24
	stretchEnd   = 8
	stretchPause = 16

	runBytes = 2048
	runEnd   = 2 * maxTokenBytes
)

func (s *stretch) stop() { s.rest, s.wait = nil, stretchPause }

// next returns the token to try at the start of piece, none if it has none to
// propose. met says that it meets the one before, which was of the same
// stretch.
func (s *stretch) next(v *vocab, piece []byte, sc *stretching) (token rank, met bool) {
	if met = len(s.rest) > 0; !met {
		if s.wait--; s.wait > 0 || !utf8.RuneStart(piece[0]) {
			return none, false
		}
		if n := repetitive(piece); n > 0 {
			s.fillRun(v, piece, sc, n)
		} else {
			s.fill(v, piece, sc)
		}
		if len(s.rest) == 0 {
			return none, false
		}
	}
	token, s.rest = s.rest[0], s.rest[1:]
	return token, met
}

func (s *stretch) fill(v *vocab, piece []byte, sc *stretching) {
	n, end := stretchBytes, stretchEnd
	if piece[0] >= utf8.RuneSelf { // runes of several bytes merge in fewer steps
		n, end = 2*n, 2*end
	}
	n = cutRune(piece, n)
	m := &sc.merging
	m.n = v.split(piece[:n], m.tokens[1:1+maxParts])
	v.link(m)
	v.reduce(m)
	s.rest = m.rest()
	if n < len(piece) {
		s.drop(v, end)
	}
}

// repetitive returns how much of the start of piece consists of a few repeated pairs of bytes; zero
// if that is little.
func repetitive(piece []byte) int {
	const fewPairs, least = 8, 48
	var seen uint64 // pairs, by a hash of six bits
	n := min(len(piece), runBytes-2*utf8.UTFMax)
	for i := 1; i < n; i++ {
		seen |= 1 << ((uint32(piece[i-1])*0x9E3779B1 ^ uint32(piece[i])*0x85EBCA6B) >> 26)
		if bits.OnesCount64(seen) > fewPairs {
			n = i
		}
	}
	if n < least {
		return 0
	}
	return n
}

func (s *stretch) fillRun(v *vocab, piece []byte, sc *stretching, n int) {
	n = cutRune(piece, n)
	rest, rounds, ok := v.mergeRounds(sc.tokens[:v.split(piece[:n], sc.tokens[:])], sc.next[:])
	sc.steps += n * rounds
	if !ok {
		s.stop()
		return
	}
	s.rest = sc.tokens[:rest]
	if n < len(piece) {
		s.drop(v, min(runEnd, n/2))
	}
}

// drop drops tokens from the end of a stretch, of this many bytes at least; one token stays.
func (s *stretch) drop(v *vocab, size int) {
	for dropped := 0; len(s.rest) > 1 && dropped < size; {
		last := len(s.rest) - 1
		dropped += int(v.length[s.rest[last]])
		s.rest = s.rest[:last]
	}
}

// cutRune returns the largest length of at most n at which piece can be cut
// between runes.
func cutRune(piece []byte, n int) int {
	if n >= len(piece) {
		return len(piece)
	}
	for n > 1 && !utf8.RuneStart(piece[n]) {
		n--
	}
	return n
}

// maxRounds bounds mergeRounds.
const maxRounds = 64

// mergeRounds is merge for many parts of few kinds: each round merges all pairs
// of the lowest rank, from the left. That is the same, as a merge only makes
// pairs of higher ranks than its own. ok is false if there are too many rounds.
func (v *vocab) mergeRounds(tokens, next []rank) (n, rounds int, ok bool) {
	n = len(tokens)
	for i := range n - 1 {
		next[i] = v.pair(tokens[i], tokens[i+1])
	}
	for ; rounds < maxRounds; rounds++ {
		low := none
		for i := range n - 1 {
			low = min(low, next[i])
		}
		if low == none {
			return n, rounds, true
		}
		to := 0
		for i := 0; i < n; i++ {
			token, then := tokens[i], none
			if i+1 < n {
				then = next[i]
			}
			if then == low {
				i++
				token, then = low, none
				if i+1 < n {
					then = v.pair(low, tokens[i+1])
				}
				if to > 0 {
					next[to-1] = v.pair(tokens[to-1], low)
				}
			}
			tokens[to], next[to] = token, then
			to++
		}
		n = to
	}
	return n, rounds, false
}

// stretching is the scratch of a stretch.
type stretching struct {
	merging merging
	tokens  [runBytes]rank
	next    [runBytes]rank
	steps   int // parts that were inspected in rounds so far, for tests
}
