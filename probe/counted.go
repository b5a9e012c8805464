package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
	"killick/probe/value"
)

// counted is a number with the word beside it, such as 25 mg or clause 31.
type counted struct {
	word   string
	before bool // the word precedes the number
	number string
}

// countsOf returns the numbers of a text with the words after them, and with the longer words
// before them. Of scripts without spaces, a word is one letter.
func countsOf(text string) map[counted]struct{} {
	found := map[counted]struct{}{}
	text = normal.Lower(normal.Plain(text))
	before, number := "", ""
	for at := 0; at < len(text); {
		end := at
		switch r, size := utf8.DecodeRuneInString(text[at:]); {
		case normal.IsDigit(text[at]):
			if end = numberEnd(text, at); partOfName(text, at, end) {
				before, number = "", ""
				break
			}
			number = value.OfDigits(text[at:end])
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
	for at < len(text) && (normal.IsDigit(text[at]) || (text[at] == '.' || text[at] == ',') &&
		at+1 < len(text) && normal.IsDigit(text[at+1])) {
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

// letterEnd returns where the word at a position ends.
func letterEnd(text string, at int) int {
	for start := at; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if at > start && normal.Unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return at
		}
		if at += size; normal.Unspaced(r) {
			return at
		}
	}
	return at
}
