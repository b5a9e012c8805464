package tokenizer

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
	if b := text[i]; b < utf8.RuneSelf {
		return byteClass[b], 1
	}
	r, size := utf8.DecodeRune(text[i:])
	return classes.of(r), size
}

// run returns where the run of runes ends that starts at i and whose classes
// all have one of want.
func run(text []byte, i int, want class) int {
	for {
		c, size := at(text, i)
		if c&want == 0 {
			return i
		}
		i += size
	}
}

// splitO200k splits by the pattern of o200k_base and o200k_harmony:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// Here is the way of ASCII; a piece that meets anything else starts over.
func splitO200k(text []byte, i int) int {
	c, j := byteClass[text[i]], i // j is where a word may start
	if c&(isLetter|isNumber|isNewline|isWide) == 0 {
		if j++; j == len(text) {
			return j
		}
	}
	end := j
	switch next := byteClass[text[j]]; {
	case next&isLetter != 0:
		end = asciiWord(text, j)
		if end < len(text) && text[end] == '\'' {
			return contraction(text, end)
		}
	case next == isWide:
		return splitO200kWide(text, i)
	case next&isNumber != 0:
		if j > i {
			return j
		}
		end = asciiDigits(text, i)
		if end == i+3 {
			return end
		}
	case c&isOther != 0 || text[i] == ' ' && next&isOther != 0:
		end = asciiOther(text, j)
		if end < len(text) && text[end] < utf8.RuneSelf {
			for end < len(text) && (byteClass[text[end]]&isNewline != 0 || text[end] == '/') {
				end++
			}
			return end
		}
	case c&isSpace != 0:
		return spaces(text, i)
	}
	if end < len(text) && text[end] >= utf8.RuneSelf {
		return splitO200kWide(text, i)
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

const ones = 0x0101010101010101

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

// splitO200kWide is splitO200k for runes of any kind.
func splitO200kWide(text []byte, i int) int {
	c, size := at(text, i)
	switch {
	case c&isLetter != 0:
		end, _ := word(text, i)
		return contraction(text, end)
	case c&isNumber != 0:
		return digits(text, i, 3)
	case c&isNewline != 0:
		return spaces(text, i)
	}
	// What is left may stand before a word: a space, a mark, anything else.
	if end, ended := word(text, i+size); ended {
		return contraction(text, end)
	} else if c&isUpper != 0 { // a mark is a word of its own before it leads one in capitals
		end, _ := word(text, i)
		return contraction(text, end)
	} else if end > i+size {
		return contraction(text, end)
	}
	j := i
	if text[i] == ' ' {
		j++
	}
	if end := run(text, j, isOther); end > j {
		for end < len(text) && (text[end] == '\r' || text[end] == '\n' || text[end] == '/') {
			end++
		}
		return end
	}
	return spaces(text, i)
}

// word matches, at i, the two letter runs of the o200k pattern: capitals and
// what has no case, then small letters and what has no case. ended tells that
// the first alternative of the pattern matched, whose second run is not empty;
// else the match is all capitals, or empty.
func word(text []byte, i int) (end int, ended bool) {
	both := -1 // end of the last rune of the first run that could be of the second
	end = i
	for {
		c, size := at(text, end)
		if c&isUpper == 0 {
			if c&isLower != 0 {
				return run(text, end, isLower), true
			}
			break
		}
		end += size
		if c&isLower != 0 {
			both = end
		}
	}
	if both >= 0 {
		return both, true
	}
	return end, false
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

// digits matches up to most numbers.
func digits(text []byte, i, most int) int {
	for ; most > 0; most-- {
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
		if c == isWide {
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

// splitCl100k splits by the pattern of cl100k_base:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// Here too is the way of ASCII.
func splitCl100k(text []byte, i int) int {
	c, j := byteClass[text[i]], i
	if c&(isLetter|isNumber|isNewline|isWide) == 0 {
		if end := contraction(text, i); end > i {
			return end
		}
		if j++; j == len(text) {
			return j
		}
	}
	end := j
	switch next := byteClass[text[j]]; {
	case next&isLetter != 0:
		end = asciiLetters(text, j)
	case next == isWide:
		return splitCl100kWide(text, i)
	case next&isNumber != 0:
		if j > i {
			return j
		}
		end = asciiDigits(text, i)
		if end == i+3 {
			return end
		}
	case c&isOther != 0 || text[i] == ' ' && next&isOther != 0:
		end = asciiOther(text, j)
		if end < len(text) && text[end] < utf8.RuneSelf {
			for end < len(text) && byteClass[text[end]]&isNewline != 0 {
				end++
			}
			return end
		}
	case c&isSpace != 0:
		return spaces(text, i)
	}
	if end < len(text) && text[end] >= utf8.RuneSelf {
		return splitCl100kWide(text, i)
	}
	return end
}

// splitCl100kWide is splitCl100k for runes of any kind.
func splitCl100kWide(text []byte, i int) int {
	c, size := at(text, i)
	switch {
	case c&isLetter != 0:
		return run(text, i, isLetter)
	case c&isNumber != 0:
		return digits(text, i, 3)
	case c&isNewline != 0:
		return spaces(text, i)
	}
	if end := contraction(text, i); end > i {
		return end
	}
	if end := run(text, i+size, isLetter); end > i+size {
		return end
	}
	j := i
	if text[i] == ' ' {
		j++
	}
	if end := run(text, j, isOther); end > j {
		for end < len(text) && (text[end] == '\r' || text[end] == '\n') {
			end++
		}
		return end
	}
	return spaces(text, i)
}

// splitGPT2 splits by the pattern of r50k_base and p50k_base:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func splitGPT2(text []byte, i int) int {
	if end := contraction(text, i); end > i && text[i+1] >= 'a' && text[i+1] <= 'z' && text[end-1] >= 'a' && text[end-1] <= 'z' {
		return end
	}
	j := i
	if text[i] == ' ' {
		j++
	}
	for _, want := range []class{isLetter, isNumber, isOther} {
		if end := run(text, j, want); end > j {
			return end
		}
	}
	// White space as elsewhere, but line breaks are not special.
	end, last := i, i
	for {
		c, size := at(text, end)
		if c&isSpace == 0 {
			break
		}
		last, end = end, end+size
	}
	if end < len(text) && last > i {
		return last
	}
	return end
}
