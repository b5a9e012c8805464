package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
)

// A word here is a run of letters of a script with spaces, in lower case, or a pair
// of letters of a script without.

// minWord is the minimum number of letters of a rare word: in every language the most
// common words are short.
const minWord = 4

// maxWord bounds the letters of a word. Longer runs are encoded bytes.
const maxWord = 40

// eachWord calls found for each word of text: words of any length in scripts with spaces,
// the parts of identifiers, and the pairs of letters of other scripts.
func eachWord(text string, found func(word string, pair bool)) {
	eachWordAt(text, func(_ int, word string, pair bool) { found(word, pair) })
}

// eachWordAt is like eachWord, with the position of each word.
func eachWordAt(text string, found func(at int, word string, pair bool)) {
	start := -1
	lastAt, runStart := -1, -1 // of a run without blanks
	flush := func(end int) {
		if start >= 0 && end-start <= 4*maxWord {
			found(start, normal.Lower(text[start:end]), false)
		}
		start = -1
	}
	single := func(end int) {
		if runStart >= 0 && runStart == lastAt {
			found(runStart, text[runStart:end], true)
		}
		runStart, lastAt = -1, -1
	}
	var before rune
	for i, r := range text {
		switch {
		case normal.Unspaced(r):
			flush(i)
			if lastAt >= 0 {
				found(lastAt, text[lastAt:i+utf8.RuneLen(r)], true)
			} else {
				runStart = i
			}
			lastAt = i
		case unicode.IsLetter(r) || unicode.IsMark(r):
			single(i)
			if start >= 0 && unicode.IsUpper(r) && unicode.IsLower(before) { // camelCase
				flush(i)
			}
			if start < 0 {
				start = i
			}
		default:
			flush(i)
			single(i)
		}
		before = r
	}
	flush(len(text))
	single(len(text))
}

// lexicon holds the words of the replaced turns.
type lexicon struct {
	words map[string]struct{}
	stems map[string]struct{} // beginnings of words
}

// maxWords bounds the memory of a lexicon. Turns with more different words are not prose;
// statements about the rest then do not count as being in their words.
const maxWords = 1 << 19

func newLexicon() *lexicon {
	return &lexicon{words: map[string]struct{}{}, stems: map[string]struct{}{}}
}

// add adds the words of a text.
func (l *lexicon) add(text string) {
	eachWord(text, func(w string, pair bool) {
		if _, ok := l.words[w]; ok || len(l.words) >= maxWords {
			return
		}
		l.words[w] = struct{}{}
		if !pair {
			l.stem(w)
		}
	})
}

// stem adds the beginnings by which a word is found.
func (l *lexicon) stem(w string) {
	n := utf8.RuneCountInString(w)
	if n < minWord || n > maxWord {
		return
	}
	at := 0
	for i := range w {
		if at >= stemLength(n) {
			l.stems[w[:i]] = struct{}{}
		}
		at++
	}
	l.stems[w] = struct{}{}
}

// stemLength is how many first letters a word of n letters must share with another to be
// a form of it: three fifths of either, at least four.
func stemLength(n int) int { return max(minWord, (3*n+1)/5) }

// has reports whether a word occurs in the turns as it is.
func (l *lexicon) has(w string) bool {
	_, ok := l.words[w]
	return ok
}

// holds reports whether a word, in this form or another, occurs in the turns.
func (l *lexicon) holds(w string, pair bool) bool {
	if l.has(w) {
		return true
	}
	if pair {
		return false
	}
	n := utf8.RuneCountInString(w)
	if n > maxWord {
		return false
	}
	if _, ok := l.stems[w]; ok {
		return true
	}
	at := 0
	for i := range w {
		head := w[:i]
		if at >= stemLength(n) {
			if _, ok := l.stems[head]; ok {
				return true
			}
		}
		at++
	}
	return false
}

// rare reports whether a word is long enough to be characteristic of the turns.
func rare(w string) bool {
	n := utf8.RuneCountInString(w)
	return n >= minWord && n <= maxWord
}

// countWords counts the runs of letters and digits of text. Two letters of a script without spaces
// are one word.
func countWords(text string) (words int) {
	inside, letters := false, 0
	for _, r := range text {
		if normal.Unspaced(r) {
			if letters++; letters == 1 || letters > 2 && letters%2 == 0 {
				words++
			}
			inside = false
			continue
		}
		word := inWord(r) || unicode.IsMark(r)
		if word && !inside {
			words++
		}
		inside, letters = word, 0
	}
	return words
}

// containsWhole reports whether text contains want, and not as a part of a longer word
// or name. Scripts without spaces have no such parts.
func containsWhole(want, text string) bool {
	if want == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(want)
	last, _ := utf8.DecodeLastRuneInString(want)
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(want):])
		if (!inWord(first) || !inWord(before)) && (!inWord(last) || !inWord(after)) {
			return true
		}
		from = i + len(want)
	}
}

// inWord reports whether r may occur inside a word or name.
func inWord(r rune) bool {
	return r != utf8.RuneError && !normal.Unspaced(r) &&
		(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
