package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Weights of words, in letters: long words are rarer than short ones in every language, and
// an ideograph carries as much as a few letters.
const (
	ideographWeight = 3
	valueWeight     = 10
)

// shares returns the weighted share of the rarer words of text that occur in the turns,
// and the share that occurs near the named messages. An ideograph must occur in the turns
// with its neighbour, or alone in those messages. Each of the values, which all occur
// there, counts as a word. If all words are short, all count. Pairs of letters count in scripts
// without spaces that have no ideographs.
func (x *Index) shares(text string, values int, near []int) (inTurns, inNear float64) {
	var longer, all wordWeights
	ideographs := map[rune]bool{} // and whether they are in the turns
	eachWord(text, func(w string, pair bool) {
		known := x.words.holds(w, pair)
		if pair && strings.ContainsFunc(w, syllabic) {
			for _, r := range w {
				if syllabic(r) {
					ideographs[r] = ideographs[r] || known
				}
			}
			return
		}
		inNear := known && slices.ContainsFunc(near, func(i int) bool {
			return x.wordsOf(i).holds(w, pair)
		})
		weight := utf8.RuneCountInString(w)
		all.add(weight, known, inNear)
		if pair && !strings.ContainsFunc(w, hiragana) || rare(w) {
			longer.add(weight, known, inNear)
		}
	})
	for r, known := range ideographs {
		inNear := slices.ContainsFunc(near, func(i int) bool {
			return strings.ContainsRune(x.texts[i], r)
		})
		all.add(ideographWeight, known || inNear, inNear)
		longer.add(ideographWeight, known || inNear, inNear)
	}
	if longer.total == 0 {
		longer = all
	}
	longer.add(values*valueWeight, true, true)
	if longer.total == 0 {
		return 0, 0
	}
	total := float64(longer.total)
	return float64(longer.inTurns) / total, float64(longer.inNear) / total
}

// syllabic reports whether one letter carries as much as a part of a word.
func syllabic(r rune) bool { return ideograph(r) || unicode.Is(unicode.Hangul, r) }

// hiragana reports whether r writes endings and particles, as short words are in other scripts.
func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// wordWeights are the weight of words, of those that are in the turns, and of those that are in the
// messages near those named.
type wordWeights struct{ total, inTurns, inNear int }

func (w *wordWeights) add(weight int, inTurns, inNear bool) {
	w.total += weight
	if inTurns {
		w.inTurns += weight
	}
	if inNear {
		w.inNear += weight
	}
}
