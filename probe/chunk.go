package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators are characters that never occur inside a value, except for addresses.
const separators = "\"'`<>()[]{}|,;=*!?&^"

// nextChunk returns the next run without spaces and separators. Letters of scripts
// without spaces separate too.
func nextChunk(text string, at int) (start, end int) {
	separates := func(i int) (bool, int) {
		if c := text[i]; c < utf8.RuneSelf {
			inNumber := c == ',' && i > at && i+1 < len(text) &&
				isDigit(text[i-1]) && isDigit(text[i+1])
			return c <= ' ' || c == 0x7f || !inNumber && strings.IndexByte(separators, c) >= 0, 1
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		sign := r == '€' || r == '£' || r == '¥'
		return !sign && (unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r)), size
	}
	start = at
	for start < len(text) {
		ends, size := separates(start)
		if !ends {
			break
		}
		start += size
	}
	end = start
	for end < len(text) {
		ends, size := separates(end)
		if ends {
			break
		}
		if text[end] == '/' && end > start && strings.HasSuffix(text[start:end], ":/") {
			return start, linkEnd(text, end)
		}
		end += size
	}
	return start, end
}

// linkEnd returns where an address ends.
func linkEnd(text string, end int) int {
	const marks = "\"'`<>()[]{}|\\^"
	for end < len(text) && text[end] > ' ' && text[end] < utf8.RuneSelf &&
		strings.IndexByte(marks, text[end]) < 0 {
		end++
	}
	return end
}
