package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
)

// Weights of words, in letters: long words are rarer than short ones in every language, and
// an ideograph carries as much as a few letters.
const (
	ideographWeight = 3
	valueWeight     = 10
)

// share returns the weighted share of the rarer words of a text that occur near the named messages.
// Each of the values, which all occur there, counts as a word. If all words are short, all count.
// Ideographs are compared one by one, the letters of other scripts without spaces in pairs.
func (x *Index) share(text string, values int, near []int) float64 {
	var longer, all wordWeights
	ideographs := map[rune]bool{}
	eachWord(text, func(w string, pair bool) {
		if pair && strings.ContainsFunc(w, syllabic) {
			for _, r := range w {
				if syllabic(r) {
					ideographs[r] = true
				}
			}
			return
		}
		held := slices.ContainsFunc(near, func(i int) bool { return x.wordsOf(i).holds(w, pair) })
		weight := utf8.RuneCountInString(w)
		all.add(weight, held)
		if pair && !strings.ContainsFunc(w, hiragana) || rare(w) {
			longer.add(weight, held)
		}
	})
	for r := range ideographs {
		held := slices.ContainsFunc(near, func(i int) bool {
			return strings.ContainsRune(x.texts[i], r)
		})
		all.add(ideographWeight, held)
		longer.add(ideographWeight, held)
	}
	if longer.total == 0 {
		longer = all
	}
	longer.add(values*valueWeight, true)
	if longer.total == 0 {
		return 0
	}
	return float64(longer.held) / float64(longer.total)
}

// syllabic reports whether one letter carries as much as a part of a word.
func syllabic(r rune) bool { return normal.Ideograph(r) || unicode.Is(unicode.Hangul, r) }

// hiragana reports whether r writes endings and particles, as short words are in other scripts.
func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// wordWeights are the weight of words, and of those that occur.
type wordWeights struct{ total, held int }

func (w *wordWeights) add(weight int, held bool) {
	w.total += weight
	if held {
		w.held += weight
	}
}
