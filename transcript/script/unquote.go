package script

import (
	"strings"
	"unicode/utf8"
)

// unquote returns the value of a string literal, including its quotes.
func unquote(literal []byte) (string, bool) {
	if len(literal) < 2 {
		return "", false
	}
	return cooked(string(literal[1 : len(literal)-1]))
}

// escaped are the characters that a backslash and a letter stand for.
var escaped = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// cooked returns the text of the inside of a string or template, with its escapes decoded
// (ECMAScript 2024, 12.9.4 and 12.9.6). ok is false for other escapes than those of a punctuation
// mark and of a control character by its letter, for carriage returns, and for invalid UTF-8.
func cooked(body string) (text string, ok bool) {
	if !utf8.ValidString(body) || strings.Contains(body, "\r") {
		return "", false
	}
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(body, `\`)
		b.WriteString(plain)
		if !found {
			return b.String(), true
		}
		if rest == "" {
			return "", false
		}
		c, isLetter := escaped[rest[0]]
		if !isLetter {
			if c = rest[0]; c <= ' ' || c > '~' || isAlphanumeric(c) {
				return "", false
			}
		}
		b.WriteByte(c)
		body = rest[1:]
	}
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
