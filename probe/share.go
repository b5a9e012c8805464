package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Weights of what is looked for, in letters: long words are rarer than short ones in
// every language, an ideograph says as much as a few letters do.
const (
	ideographWeight = 3
	valueWeight     = 10
)

// shares returns what share of the rarer words of text, by their weight, stands in
// the turns, and what share stands in the messages around those named. An ideograph
// stands in the turns with the one beside it, or alone in those messages. Each of the
// values, which all stand, weighs as a word. Where all words are short, all count.
func (x *Index) shares(text string, values int, around []int) (turns, near float64) {
	var rare, all held
	chars := map[rune]bool{} // ideographs, and whether they stand in the turns
	eachWord(text, func(w string, pair bool) {
		if pair {
			known := x.words.holds(w, pair)
			for _, r := range w {
				if ideograph(r) || unicode.Is(unicode.Hangul, r) {
					chars[r] = chars[r] || known
				}
			}
			return
		}
		weight := utf8.RuneCountInString(w)
		inTurns := x.words.holds(w, false)
		inNear := inTurns && slices.ContainsFunc(around, func(i int) bool { return x.lexicon(i).holds(w, false) })
		all.count(weight, inTurns, inNear)
		if x.words.rare(w) {
			rare.count(weight, inTurns, inNear)
		}
	})
	for r, known := range chars {
		inNear := slices.ContainsFunc(around, func(i int) bool { return strings.ContainsRune(x.texts[i], r) })
		all.count(ideographWeight, known || inNear, inNear)
		rare.count(ideographWeight, known || inNear, inNear)
	}
	if rare.of == 0 {
		rare = all
	}
	rare.count(values*valueWeight, true, true)
	if rare.of == 0 {
		return 1, 1
	}
	return float64(rare.turns) / float64(rare.of), float64(rare.near) / float64(rare.of)
}

// held is the weight of words, of those that stand in the turns, and of those that
// stand in the messages around those named.
type held struct{ of, turns, near int }

func (h *held) count(weight int, turns, near bool) {
	h.of += weight
	if turns {
		h.turns += weight
	}
	if near {
		h.near += weight
	}
}
