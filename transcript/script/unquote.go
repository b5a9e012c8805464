package script

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the value of a string literal, including its quotes.
func unquote(literal []byte) (string, bool) {
	if len(literal) < 2 {
		return "", false
	}
	return cooked(string(literal[1 : len(literal)-1]))
}

// cooked returns the text of the inside of a string or template, with its escapes decoded
// (ECMAScript 2024, 12.9.4 and 12.9.6). ok is false for half a surrogate pair and invalid UTF-8.
func cooked(body string) (text string, ok bool) {
	if !utf8.ValidString(body) {
		return "", false
	}
	if !strings.ContainsAny(body, "\\\r") {
		return body, true
	}
	var b strings.Builder
	b.Grow(len(body))
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == '\r': // in a template, every line break is a line feed
			b.WriteByte('\n')
			i += lineBreak(body[i:])
		case c != '\\':
			b.WriteByte(c)
			i++
		default:
			n, ok := escape(&b, body[i+1:])
			if !ok {
				return "", false
			}
			i += 1 + n
		}
	}
	return b.String(), true
}

// plainEscapes are the escapes of one character.
var plainEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// escape writes the character of an escape and returns its length. s follows the backslash.
func escape(b *strings.Builder, s string) (n int, ok bool) {
	if s == "" {
		return 0, false
	}
	if plain, found := plainEscapes[s[0]]; found {
		b.WriteByte(plain)
		return 1, true
	}
	switch c := s[0]; {
	case c == '\r' || c == '\n' || strings.HasPrefix(s, "\u2028") ||
		strings.HasPrefix(s, "\u2029"): // a line continuation
		return lineBreak(s), true
	case c == '0' && (len(s) == 1 || s[1] < '0' || s[1] > '9'):
		b.WriteByte(0)
		return 1, true
	case '0' <= c && c <= '9': // octal, which modules do not have
		return 0, false
	case c == 'x':
		r, n := hex(s[1:], 2)
		b.WriteRune(r)
		return 1 + n, n > 0
	case c == 'u':
		return unicodeEscape(b, s)
	}
	r, size := utf8.DecodeRuneInString(s)
	b.WriteRune(r)
	return size, true
}

// lineBreak returns the length of the line break at the beginning of s.
func lineBreak(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s[0] == '\r', s[0] == '\n':
		return 1
	}
	return len("\u2028")
}

// unicodeEscape writes the character of \uXXXX, of a pair of these, or of \u{X}. s begins with the
// u.
func unicodeEscape(b *strings.Builder, s string) (n int, ok bool) {
	if inner, braced := strings.CutPrefix(s, "u{"); braced {
		digits, _, closed := strings.Cut(inner, "}")
		code, err := strconv.ParseUint(digits, 16, 32)
		if !closed || err != nil || code > utf8.MaxRune || utf16.IsSurrogate(rune(code)) {
			return 0, false
		}
		b.WriteRune(rune(code))
		return len("u{}") + len(digits), true
	}
	r, n := hex(s[1:], 4)
	if n == 0 {
		return 0, false
	}
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		return 5, true
	}
	rest, found := strings.CutPrefix(s[5:], `\u`)
	low, n := hex(rest, 4)
	if r = utf16.DecodeRune(r, low); !found || n == 0 || r == utf8.RuneError {
		return 0, false
	}
	b.WriteRune(r)
	return 11, true
}

// hex reads exactly this number of digits; n is 0 if there are fewer.
func hex(s string, digits int) (r rune, n int) {
	if len(s) < digits {
		return 0, 0
	}
	code, err := strconv.ParseUint(s[:digits], 16, 32)
	if err != nil || s[0] == '+' {
		return 0, 0
	}
	return rune(code), digits
}
