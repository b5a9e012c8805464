// Package normal brings text into one form, so that what is the same is found however it is
// written: on one line, in lower case, with the digits of every script as ASCII has them.
//
// It never reads what a text says.
package normal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible reports whether r is not displayed: joiners, marks of direction, variation selectors,
// tags. Unicode lists them as Default_Ignorable_Code_Point. Text that a person does not see and a
// model reads can be written in them.
func invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r < 0x2000:
		return r == 0xad || r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 ||
			r == 0x17b4 || r == 0x17b5 || 0x180b <= r && r <= 0x180f
	case r < 0x3000:
		return 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e ||
			0x2060 <= r && r <= 0x206f
	case r < 0xfe00:
		return r == 0x3164
	}
	return r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || 0xfff0 <= r && r <= 0xfffb ||
		0x1bca0 <= r && r <= 0x1bca3 || 0x1d173 <= r && r <= 0x1d17a || 0xe0000 <= r && r <= 0xe0fff
}

// Line returns text that may not be valid on one line.
func Line(text string) string { return OneLine(strings.ToValidUTF8(text, "\uFFFD")) }

// OneLine replaces every run of white space and control characters with one space, and removes
// invisible characters.
// Between two letters of a script without spaces it is removed, since such text is
// broken anywhere.
func OneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	var last rune
	gap := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
			gap = true
			continue
		case invisible(r):
			continue
		}
		if gap && b.Len() > 0 && !(Unspaced(last) && Unspaced(r)) {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// Lower returns text in lower case, with full-width forms of ASCII normalised.
func Lower(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(lowerRune, text)
		}
	}
	return strings.ToLower(text)
}

func lowerRune(r rune) rune {
	switch {
	case 0xFF01 <= r && r <= 0xFF5E:
		r -= 0xFEE0
	case r == '\u3000':
		return ' '
	case r == '\u2018', r == '\u2019':
		return '\''
	}
	return unicode.ToLower(r)
}

// Plain returns text with the digits of all scripts, and the full-width letters, as ASCII has
// them: a value is the same one however it is written.
func Plain(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(plainRune, text)
		}
	}
	return text
}

func plainRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case unicode.IsDigit(r):
		return '0' + digitOf(r)
	case 0xFF21 <= r && r <= 0xFF3A, 0xFF41 <= r && r <= 0xFF5A:
		return r - 0xFEE0
	}
	return r
}

// digitOf returns the value of a decimal digit. Unicode has those of each script in a row, from
// zero to nine.
func digitOf(r rune) rune {
	for _, of := range unicode.Nd.R16 {
		if rune(of.Lo) <= r && r <= rune(of.Hi) {
			return (r - rune(of.Lo)) % 10
		}
	}
	for _, of := range unicode.Nd.R32 {
		if rune(of.Lo) <= r && r <= rune(of.Hi) {
			return (r - rune(of.Lo)) % 10
		}
	}
	return 0
}

// Unspaced reports whether r belongs to a script without spaces between words. Hangul
// counts too: its words change at their ends, syllable by syllable.
func Unspaced(r rune) bool {
	return r >= 0x0E00 && (Ideograph(r) || unicode.In(r, unicode.Hiragana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// Ideograph reports whether r is of a script that carries a word's meaning in
// unspaced text. Hiragana, beside it, writes endings and particles.
func Ideograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Katakana) || r == 'ー' || r == '々'
}

// Clip returns at most the first n bytes of text, cut at a character boundary.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }
