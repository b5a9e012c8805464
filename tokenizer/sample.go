package tokenizer

import (
	"math"
	"math/rand/v2"

	"killick/tokenizer/bpe"
)

const (
	// cellStep is the distance of the places between which cells lie, cellBack how
	// far before such a place a cell may end, so that its pieces end there too.
	cellStep = 64
	cellBack = 32
	// cellBytes is what a cell may have at most, and so its most tokens: the places
	// move by cellBack, or by two escapes at most where there is no end of a piece.
	cellBytes = cellStep + cellBack

	// minSampledBytes is the size from which bodies are sampled.
	minSampledBytes = 128 << 10
	// minCells may be counted of any body, and sampledShare of the cells of any.
	minCells     = 2048
	sampledShare = 4 // a quarter
	// looksApart is after how many cells it is asked whether more are worth their
	// while, firstLook after how many for the first time.
	looksApart = 256
	firstLook  = 64

	// sampleDoubt is the chance of a wrong answer.
	sampleDoubt = 1e-6

	// notInText are the tokens of a request that stand for nothing in its text:
	// what primes the reply, the system text of harmony.
	notInText = 128
)

// AtMost reports whether the request with this body has at most limit tokens, media
// apart, as far as that follows from a sample: it counts cells of the JSON at
// random places, nobody can know which. That it says so and is wrong has a chance of
// one in a million, whatever the text and wherever in it the tokens are; where it
// cannot say so it returns false. It counts more cells the closer the limit is, up
// to a quarter of the body, and gives up once even these would hardly do.
//
// What the cells have together is what the JSON has, its escapes undone. That is
// more than the request has, since names and punctuation of the JSON take more
// tokens than what frames the messages for the model. The one exception known are
// descriptions of tools that consist of line breaks: each is rendered as a comment,
// which takes up to two tokens more than the line break.
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
	// What a cell may have on the mean, as a share of the most that it can have.
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

// worthwhile reports whether the bet may be won within so many numbers, if the
// mean is a little lower than it was so far.
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
