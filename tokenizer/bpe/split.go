package bpe

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A splitter cuts a text into the pieces that the pattern of an encoding
// matches one after the other: it returns where the piece ends that starts at
// i. text is valid UTF-8 and i < len(text). Every byte belongs to a piece.
type splitter func(text []byte, i int) int

// at returns the class and the size of the rune at i, zeros at the end.
func at(text []byte, i int) (c class, size int) {
	if i >= len(text) {
		return 0, 0
	}
	if c := byteClass[text[i]]; c != isMulti {
		return c, 1
	}
	return wideClass(text, i)
}

// run returns where the run of runes ends that starts at i and whose classes
// all have one of want.
func run(text []byte, i int, want class) int {
	for i < len(text) {
		b := text[i]
		c, size := byteClass[b], 1
		if c == isMulti {
			if b < 0xE0 && i+1 < len(text) {
				c, size = classOfTwo[uint(b&0x1F)<<6|uint(text[i+1]&0x3F)], 2
			} else {
				c, size = wideClass(text, i)
			}
		}
		if c&want == 0 {
			break
		}
		i += size
	}
	return i
}

// contracted is contraction for places where an apostrophe is rare.
func contracted(text []byte, i int) int {
	if i < len(text) && text[i] == '\'' {
		return contraction(text, i)
	}
	return i
}

// contraction extends a match that ends at i by an English contraction, if one
// follows. A long s counts as s: OpenAI's code folds it, tiktoken-go does not.
func contraction(text []byte, i int) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return i
	}
	switch text[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if i+2 < len(text) && text[i+2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if i+2 < len(text) && text[i+2]|0x20 == 'l' {
			return i + 3
		}
	case 0xC5 | 0x20:
		if i+2 < len(text) && text[i+1] == 0xC5 && text[i+2] == 0xBF { // U+017F
			return i + 3
		}
	}
	return i
}

// digits matches up to three numbers.
func digits(text []byte, i int) int {
	for range 3 {
		c, size := at(text, i)
		if c&isNumber == 0 {
			break
		}
		i += size
	}
	return i
}

// spaces matches white space at i, of which there is some: up to its last line
// break; without one, all of it at the end of the text; else all but the last
// rune, which belongs to what follows, unless it is alone.
func spaces(text []byte, i int) int {
	end, last, newline := i, i, -1
	for end < len(text) {
		c, size := byteClass[text[end]], 1
		if c == isMulti {
			c, size = at(text, end)
		}
		if c&isSpace == 0 {
			break
		}
		last = end
		end += size
		if c&isNewline != 0 {
			newline = end
		}
	}
	switch {
	case newline >= 0:
		return newline
	case end < len(text) && last > i:
		return last
	}
	return end
}

// asciiWord matches [A-Z]*[a-z]* at i.
func asciiWord(text []byte, i int) int {
	for i < len(text) && byteClass[text[i]]&isUpper != 0 {
		i++
	}
	for ; i+8 <= len(text); i += 8 {
		// Eight bytes at once: each sum has its upper bit set if the byte, its own
		// upper bit aside, is at least 'a', and if it is past 'z'.
		w := binary.LittleEndian.Uint64(text[i:])
		low := w &^ (0x80 * ones)
		small := (low + (0x80-'a')*ones) &^ (low + (0x7F-'z')*ones) &^ w
		if others := ^small & (0x80 * ones); others != 0 {
			return i + bits.TrailingZeros64(others)/8
		}
	}
	for i < len(text) && byteClass[text[i]]&isLower != 0 {
		i++
	}
	return i
}

// asciiLetters matches [A-Za-z]* at i.
func asciiLetters(text []byte, i int) int {
	for i < len(text) && byteClass[text[i]]&isLetter != 0 {
		if i = asciiWord(text, i); i < len(text) && byteClass[text[i]]&isUpper == 0 {
			break
		}
	}
	return i
}

// asciiDigits matches [0-9]{0,3} at i.
func asciiDigits(text []byte, i int) int {
	end := i
	for end < len(text) && end < i+3 && byteClass[text[end]]&isNumber != 0 {
		end++
	}
	return end
}

// asciiOther matches ASCII that is no space, letter or number.
func asciiOther(text []byte, i int) int {
	for i < len(text) && byteClass[text[i]]&isOther != 0 {
		i++
	}
	return i
}

// lastCut returns the last place in text at which a piece ends under every pattern, whatever
// follows text, so that both sides have as many tokens as the whole: after a number that no number
// follows, or after a letter that no letter, mark or apostrophe follows. It returns zero if there
// is none.
func lastCut(text []byte) int {
	end := len(text)
	after := isLetter // of the rune at end; unknown, so the last rune is not a cut
	apostrophe := false
	for end > 0 {
		r, size := utf8.DecodeLastRune(text[:end])
		c := classes.of(r)
		if end < len(text) {
			if c&isNumber != 0 && after&isNumber == 0 ||
				c&isLetter != 0 && after&(isUpper|isLower) == 0 && !apostrophe {
				return end
			}
		}
		after, apostrophe = c, r == '\''
		end -= size
	}
	return 0
}
