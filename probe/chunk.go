package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parting are the marks that no value has inside, but for an address.
const parting = "\"'`<>()[]{}|,;=*!?&^"

// nextChunk returns the next run without blanks and parting marks. Letters of a
// script without blanks part too.
func nextChunk(text string, at int) (start, end int) {
	part := func(i int) (bool, int) {
		if c := text[i]; c < utf8.RuneSelf {
			comma := c == ',' && i > at && i+1 < len(text) && isDigit(text[i-1]) && isDigit(text[i+1])
			return c <= ' ' || c == 0x7f || !comma && strings.IndexByte(parting, c) >= 0, 1
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		sign := r == '€' || r == '£' || r == '¥'
		return !sign && (unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r)), size
	}
	start = at
	for start < len(text) {
		parts, size := part(start)
		if !parts {
			break
		}
		start += size
	}
	end = start
	for end < len(text) {
		parts, size := part(end)
		if parts {
			break
		}
		if text[end] == '/' && end > start && strings.HasSuffix(text[start:end], ":/") {
			return start, linkEnd(text, end)
		}
		end += size
	}
	return start, end
}

func linkEnd(text string, end int) int {
	for end < len(text) && text[end] > ' ' && text[end] < utf8.RuneSelf && strings.IndexByte("\"'`<>()[]{}|\\^", text[end]) < 0 {
		end++
	}
	return end
}
