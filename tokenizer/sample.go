package tokenizer

import (
	"math"
	"math/rand/v2"
	"unicode/utf8"

	"killick/tokenizer/bpe"
)

const (
	// sampleBytes is the length of a cell. Cutting a text into cells adds to its
	// tokens, the more the shorter they are; but the more samples there are for as
	// many bytes, the closer is the bound.
	sampleBytes = 64
	// cellBytes is what a cell may have once it begins and ends between runes.
	cellBytes = sampleBytes + utf8.UTFMax - 1

	firstSamples = 256
	mostSamples  = 2048 // 128 KiB
	leastSampled = mostSamples * sampleBytes

	// sampleDoubt is the chance at which a text is said to have at most as many
	// tokens as it has not, over all looks at it.
	sampleDoubt = 1e-6
	sampleLooks = 4 // at 256, 512, 1024 and 2048 samples

	// notInText are the tokens of a request that stand for nothing in its text:
	// what primes the reply, the system text of harmony.
	notInText = 128
)

// AtMost tells that the request with this body has at most limit tokens, media
// apart, as far as that follows from a sample: it counts cells of the JSON at
// random places. That it says so and is wrong has a chance of one in a million,
// whatever the text; where it cannot say so it returns false. JSON has more
// tokens than the texts in it, and cells have more than what they are cut from,
// so the bound holds for the request if it holds for the cells.
//
// The bound is the empirical Bernstein bound (Maurer and Pontil, "Empirical
// Bernstein bounds and sample variance penalization", COLT 2009, theorem 4).
func (m *Model) AtMost(body []byte, limit int) bool {
	if !m.ratio.settled() || len(body) < leastSampled {
		return false // a request has to be counted to learn of it; small ones are soon counted
	}
	e := m.encoding()
	if e.Slow() {
		return false
	}
	cells := len(body) / sampleBytes
	// What a cell may have on the mean, as a share of the most that it can have.
	room := float64(limit-notInText-len(body)%sampleBytes-cellBytes) / float64(cells*cellBytes)
	doubt := math.Log(2 * sampleLooks / sampleDoubt)
	var sum, squares float64
	for n, looks := 0, firstSamples; looks <= mostSamples; looks *= 2 {
		for ; n < looks; n++ {
			x := float64(cell(e, body, rand.IntN(cells))) / cellBytes
			sum += x
			squares += x * x
		}
		size := float64(n)
		mean := sum / size
		if mean >= room {
			return false
		}
		variance := max(0, squares-sum*mean) / (size - 1)
		if mean+math.Sqrt(2*variance*doubt/size)+7*doubt/(3*(size-1)) <= room {
			return true
		}
	}
	return false
}

// cell returns the tokens of a cell of text, counted by itself.
func cell(e *bpe.Encoding, text []byte, i int) int {
	from, to := i*sampleBytes, (i+1)*sampleBytes
	for range utf8.UTFMax - 1 {
		if !utf8.RuneStart(text[from]) && from > 0 {
			from++
		}
		if to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
	}
	return min(e.CountUpTo(text[from:to], cellBytes), cellBytes)
}
