package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	return r != utf8.RuneError && !unspaced(r) &&
		(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
