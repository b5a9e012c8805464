package bpe

import "unicode/utf8"

// CutJSON returns a place at or shortly before i at which JSON can be cut, so that both halves have
// as many tokens as the whole: after an ASCII letter or digit at which a piece ends under every
// pattern. If there is none within the back bytes before i, it is a place between runes and outside
// escapes.
func CutJSON(text []byte, i, back int) int {
	for at := i; at > max(i-back, 0); at-- {
		if endsPiece(text, at) {
			return at
		}
	}
	return betweenRunes(text, i)
}

// endsPiece reports whether a piece ends at i, whatever surrounds it: after a digit that no digit
// follows, or after a letter that no letter, mark or apostrophe follows.
func endsPiece(text []byte, i int) bool {
	if i < 1 || i >= len(text) {
		return i == len(text)
	}
	before, after := byteClass[text[i-1]], byteClass[text[i]]
	switch {
	case before&(isLetter|isNumber) == 0, after == isMulti, text[i] == '\'':
		return false
	case before&isLetter != 0 && after&isLetter != 0, before&isNumber != 0 && after&isNumber != 0:
		return false
	case text[i] == '\\' && i+1 < len(text) && text[i+1] == 'u': // any rune
		return false
	}
	// An escape holds letters and digits that are none.
	start, size := escapeBefore(text, i)
	return start < 0 || start+size < i
}

// escapeLength is the length of the longest escape of JSON, \u0000.
const escapeLength = 6

// escapeBefore returns where the escape starts whose backslash is the nearest one
// in the last bytes before i, and its size; -1 if there is none.
func escapeBefore(text []byte, i int) (start, size int) {
	for start = i - 1; start >= max(i-escapeLength, 0); start-- {
		if text[start] != '\\' {
			continue
		}
		run := start
		for run > 0 && text[run-1] == '\\' && start-run < 64 {
			run--
		}
		switch {
		case (start-run)%2 == 1: // the second half of \\
			return start - 1, 2
		case start+1 < len(text) && text[start+1] == 'u':
			return start, escapeLength
		}
		return start, 2
	}
	return -1, 0
}

// betweenRunes returns the last place at or before i that is within no rune, no
// escape and no pair of escapes that stands for one rune.
func betweenRunes(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	for back := 0; back < utf8.UTFMax-1 && i > 0 && !utf8.RuneStart(text[i]); back++ {
		i--
	}
	if start, size := escapeBefore(text, i); start >= 0 && i < start+size {
		i = start
	}
	if i >= escapeLength && i+escapeLength <= len(text) && text[i] == '\\' && text[i+1] == 'u' &&
		text[i+2]|0x20 == 'd' && text[i+3] >= 'C' { // the second half of a surrogate pair
		if start, size := escapeBefore(text, i); start+size == i && size == escapeLength {
			i = start
		}
	}
	return i
}
