package probe

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences yields the sentences of a one-line text. The point of an abbreviation does not end one.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i, r := range text {
			end := i + utf8.RuneLen(r)
			if unicode.Is(unicode.Sentence_Terminal, r) && ends(text[start:i], r, text[end:]) {
				if !yield(text[start:end]) {
					return
				}
				start = end
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// ends reports whether a mark ends a sentence. A point after a single letter, or after a short word
// that begins with a capital letter, is that of an abbreviation.
func ends(before string, mark rune, after string) bool {
	if mark >= 0x3000 {
		return true
	}
	if !strings.HasPrefix(after, " ") {
		return false
	}
	word := before[strings.LastIndexByte(before, ' ')+1:]
	first, _ := utf8.DecodeRuneInString(word)
	letters := utf8.RuneCountInString(word)
	return mark != '.' || letters > maxAbbreviation || !unicode.IsUpper(first) && letters > 1
}

// maxAbbreviation is the maximum number of letters of Dr., Ms. and Nr.
const maxAbbreviation = 3
