package bpe

import "unicode/utf8"

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
	if c&(isLetter|isNumber|isNewline|isMulti) == 0 {
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
	case next == isMulti:
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
		return digits(text, i)
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
	small := func(b byte) bool { return b >= 'a' && b <= 'z' }
	if end := contraction(text, i); end > i && small(text[i+1]) && small(text[end-1]) {
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
