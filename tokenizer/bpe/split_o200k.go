package bpe

import "unicode/utf8"

// splitO200k splits by the pattern of o200k_base and o200k_harmony:
//
//	[^\r\n\p{L}\p{N}]?UPPER*LOWER+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?UPPER+LOWER*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// with [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] for UPPER and [\p{Ll}\p{Lm}\p{Lo}\p{M}] for LOWER.
//
// Here is the way of ASCII; a piece that meets anything else starts over.
func splitO200k(text []byte, i int) int {
	c, j := byteClass[text[i]], i // j is where a word may start
	if c&(isLetter|isNumber|isNewline|isMulti) == 0 {
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
	case next == isMulti:
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

// splitO200kWide is splitO200k for runes of any kind.
func splitO200kWide(text []byte, i int) int {
	c, size := at(text, i)
	switch {
	case c&(isLetter|isUpper) == isLetter:
		return contracted(text, run(text, i+size, isLower))
	case c&isLetter != 0:
		end, _ := word(text, i)
		return contracted(text, end)
	case c&isNumber != 0:
		return digits(text, i)
	case c&isNewline != 0:
		return spaces(text, i)
	}
	// What is left may precede a word: a space, a mark, anything else.
	if end, ended := word(text, i+size); ended {
		return contracted(text, end)
	} else if c&isUpper != 0 { // a mark is a word of its own before it leads one in capitals
		end, _ := word(text, i)
		return contracted(text, end)
	} else if end > i+size {
		return contracted(text, end)
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
// what has no case, then small letters and what has no case. ended says that
// the first alternative of the pattern matched, whose second run is not empty;
// else the match is all capitals, or empty.
func word(text []byte, i int) (end int, ended bool) {
	both := -1 // end of the last rune of the first run that could be of the second
	end = i
	for end < len(text) {
		c, size := byteClass[text[end]], 1
		if c == isMulti {
			c, size = wideClass(text, end)
		}
		if c&isUpper == 0 {
			if c&isLower != 0 {
				return run(text, end+size, isLower), true
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
