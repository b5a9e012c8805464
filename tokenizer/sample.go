package tokenizer

import (
	"math"
	"math/rand/v2"

	"killick/tokenizer/bpe"
)

const (
	// A body is divided into cells of cellStep bytes. A cell may end up to cellBack bytes earlier,
	// at the end of a piece of the tokenizer.
	cellStep = 64
	cellBack = 32
	// cellBytes is the maximum size of a cell, and so the maximum of its tokens. Where no piece
	// ends within cellBack, a cell ends at most two escapes earlier.
	cellBytes = cellStep + cellBack

	// minSampledBytes is the size from which bodies are sampled.
	minSampledBytes = 128 << 10
	// At most minCells cells of a body are counted, or a share of them if that is more.
	minCells     = 2048
	sampledShare = 4 // a quarter
	// After the first firstLook cells, and then after every looksApart, it is estimated whether
	// more cells could decide.
	looksApart = 256
	firstLook  = 64

	// sampleDoubt is the probability of a wrong answer.
	sampleDoubt = 1e-6

	// notInText is an upper bound of the tokens that are not in a request's text: what primes the
	// reply, the system text of harmony.
	notInText = 128
)

// AtMost reports whether the request with this body has at most limit tokens, without its media. It
// counts a sample: cells of the JSON at random places, which nobody can predict. If it returns
// true, it is wrong with a probability of at most one in a million, whatever the text and wherever
// its tokens are. If the sample does not decide, it returns false. The closer the limit is, the
// more cells it counts, up to a quarter of the body; it stops as soon as more would hardly decide.
//
// All cells together have the tokens of the JSON text without escapes. That is more than the
// request has, since names and punctuation of the JSON take more tokens than the frames of the
// messages. The only known exception are descriptions of tools that consist of line breaks: each is
// rendered as a comment, which takes up to two tokens more than the line break.
func (m Model) AtMost(body []byte, limit int) bool {
	if !m.settled() || len(body) < minSampledBytes {
		return false // a request has to be counted to learn from it; small ones are soon counted
	}
	e := m.encoding()
	if e.Slow() {
		return false
	}
	cells := len(body) / cellStep
	most := max(minCells, cells/sampledShare)
	// The mean tokens of a cell at the limit, as a share of cellBytes.
	room := float64(limit-notInText-len(body)%cellStep-cellBack) / float64(cells*cellBytes)
	if room <= 0 || room >= 1 {
		return room >= 1
	}
	b := newBet(room)
	for look := firstLook; b.n < most; look += looksApart {
		for b.n < look {
			b.add(float64(cell(e, body, rand.IntN(cells))) / cellBytes)
			if b.won(sampleDoubt) {
				return true
			}
		}
		if !b.worthwhile(sampleDoubt, most) {
			return false
		}
	}
	return false
}

// worthwhile reports whether the bet may be won within most draws, if the mean is a little lower
// than it was so far.
func (b *bet) worthwhile(doubt float64, most int) bool {
	mean, variance := b.moments()
	room := b.limit - mean + 2*math.Sqrt(variance/float64(b.n))
	if room <= 0 {
		return false
	}
	// The capital grows by about room²/2variance a number.
	needed := 2 * variance * math.Log(1/(doubt*b.capital)) / (room * room)
	return float64(b.n)+needed <= float64(most)
}

// cell returns the tokens of a cell of a body.
func cell(e *bpe.Encoding, body []byte, i int) int {
	from, to := bpe.CutJSON(body, i*cellStep, cellBack), bpe.CutJSON(body, (i+1)*cellStep, cellBack)
	return min(e.CountJSON(body[from:to]), cellBytes)
}
