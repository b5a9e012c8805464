package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stands reports whether text holds want, and not as a part of a longer word or
// name. Scripts without blanks have no such parts.
func stands(want, text string) bool {
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
		if (!within(first) || !within(before)) && (!within(last) || !within(after)) {
			return true
		}
		from = i + len(want)
	}
}

// within reports whether r may stand inside a word or name.
func within(r rune) bool {
	return r != utf8.RuneError && !unspaced(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
