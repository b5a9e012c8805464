package reference

import (
	"strings"
	"unicode/utf8"
)

const escape = '\x1b'

// Escape returns the length of the escape sequence of a terminal that a text begins with (ECMA-48),
// 0 if it begins with none: a color, a movement of the cursor, a link. Programs write them into
// their output. color is set if it only changes how the text after it looks.
func Escape(text string) (n int, color bool) {
	if len(text) < 2 || text[0] != escape {
		return 0, false
	}
	switch text[1] {
	case '[': // parameters, intermediate bytes, a final byte
		n = 2 + span(text[2:], 0x30, 0x3f)
		n += span(text[n:], 0x20, 0x2f)
		if n < len(text) && text[n] >= 0x40 && text[n] <= 0x7e {
			return n + 1, text[n] == 'm' || text[n] == 'K'
		}
	case ']': // a string that ends with BEL or ESC \
		for i := 2; i < min(len(text), maxString); i++ {
			switch {
			case text[i] == '\a':
				return i + 1, true
			case text[i] == escape && i+1 < len(text) && text[i+1] == '\\':
				return i + 2, true
			case text[i] < ' ':
				return 0, false
			}
		}
		return 0, false
	default:
		n = 1 + span(text[1:], 0x20, 0x2f)
		if n < len(text) && text[n] >= 0x30 && text[n] <= 0x7e {
			return n + 1, false
		}
	}
	return 0, false
}

// maxString limits a string in an escape sequence, in bytes.
const maxString = 2048

// span returns how many bytes at the beginning of a text are from first to last.
func span(text string, first, last byte) (n int) {
	for n < len(text) && text[n] >= first && text[n] <= last {
		n++
	}
	return n
}

// beyondColors returns the offset after the color sequences that begin at offset i.
func beyondColors(text string, i int) int {
	for {
		n, color := Escape(text[i:])
		if !color {
			return i
		}
		i += n
	}
}

// longColor is more bytes than a sequence of a color has.
const longColor = 32

// beforeColors returns the offset at which the color sequences begin that end at offset i.
func beforeColors(text string, i int) int {
	for i > 0 {
		begin := max(0, i-longColor)
		at := strings.LastIndexByte(text[begin:i], escape)
		if at < 0 {
			break
		}
		if n, color := Escape(text[begin+at : i]); !color || begin+at+n != i {
			break
		}
		i = begin + at
	}
	return i
}

// beginsInName reports whether a text begins with a letter, a digit or an underscore.
func beginsInName(text string) bool {
	if text == "" {
		return false
	}
	c, _ := classAt(text, 0)
	return c&(lower|upper|digit|under|mark) != 0
}

// endsInName reports whether a text ends with a letter, a digit or an underscore.
func endsInName(text string) bool {
	_, size := utf8.DecodeLastRuneInString(text)
	return beginsInName(text[len(text)-size:])
}
