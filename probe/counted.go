package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// counted is a number with the word beside it, such as 25 mg or clause 31.
type counted struct {
	word   string
	before bool // the word precedes the number
	number string
}

// otherCount reports whether a number of text stands beside a word that stands beside another
// number in the quote, while no message near has it so. Small numbers are no typed values, since
// summaries contain counts of their own; but one in place of another is altered.
func (x *Index) otherCount(text, quote string, near []int) bool {
	quoted := countsOf(quote)
	if len(quoted) == 0 {
		return false
	}
	for c := range countsOf(text) {
		replaces := false
		for q := range quoted {
			replaces = replaces || q.word == c.word && q.before == c.before && q.number != c.number
		}
		if replaces && !slices.ContainsFunc(near, func(i int) bool {
			_, held := x.countsIn(i)[c]
			return held
		}) {
			return true
		}
	}
	return false
}

// countsIn returns the numbers of a message with the words beside them.
func (x *Index) countsIn(i int) map[counted]struct{} {
	if x.counts[i] == nil {
		x.counts[i] = countsOf(x.texts[i])
	}
	return x.counts[i]
}

// countsOf returns the numbers of a text with the words after them, and with the longer words
// before them. Of scripts without spaces, a word is one letter.
func countsOf(text string) map[counted]struct{} {
	found := map[counted]struct{}{}
	text = lower(plain(text))
	before, number := "", ""
	for at := 0; at < len(text); {
		end := at
		switch r, size := utf8.DecodeRuneInString(text[at:]); {
		case isDigit(text[at]):
			if end = numberEnd(text, at); partOfName(text, at, end) {
				before, number = "", ""
				break
			}
			number = normalNumber(text[at:end])
			if number != "" && utf8.RuneCountInString(before) >= minWord {
				found[counted{before, true, number}] = struct{}{}
			}
			before = ""
		case unicode.IsLetter(r):
			end = letterEnd(text, at)
			before = text[at:end]
			if number != "" {
				found[counted{before, false, number}] = struct{}{}
			}
			number = ""
		default:
			if end += size; strings.ContainsRune(separates, r) {
				before, number = "", ""
			}
		}
		at = end
	}
	return found
}

// separates are marks between a number and a word that is not beside it.
const separates = ",;:.!?()[]{}|、。，；：！？（）「」،؛؟"

// numberEnd returns where the digits at a position end, with points and commas between them.
func numberEnd(text string, at int) int {
	for at < len(text) && (isDigit(text[at]) || (text[at] == '.' || text[at] == ',') &&
		at+1 < len(text) && isDigit(text[at+1])) {
		at++
	}
	return at
}

// partOfName reports whether digits have a letter directly before or after them, as in identifiers.
func partOfName(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return inWord(before) || inWord(after)
}

// normalNumber returns a number as each of its spellings gives it, "" for a version.
func normalNumber(digits string) string {
	readings := readDigits(digits)
	if len(readings) == 0 {
		return ""
	}
	return format(readings[0])
}

// letterEnd returns where the word at a position ends.
func letterEnd(text string, at int) int {
	for start := at; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if at > start && unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return at
		}
		if at += size; unspaced(r) {
			return at
		}
	}
	return at
}
