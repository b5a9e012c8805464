package rawjson

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendUnescaped appends the decoded text of body, the inside of a JSON string. Bytes that are not
// escapes are copied, valid UTF-8 or not. Unpaired surrogates are written by lone.
func AppendUnescaped(dst, body []byte, lone func(dst []byte, r rune) []byte) []byte {
	for {
		n := bytes.IndexByte(body, '\\')
		if n < 0 || n+1 >= len(body) {
			return append(dst, body...)
		}
		dst = append(dst, body[:n]...)
		c := body[n+1]
		if c != 'u' {
			dst = append(dst, unescapeShort(c))
			body = body[n+2:]
			continue
		}
		if len(body) < n+6 {
			return append(dst, body[n:]...)
		}
		r := hex4(body[n+2:])
		body = body[n+6:]
		if utf16.IsSurrogate(r) {
			if pair := lowSurrogate(body); pair >= 0 {
				if full := utf16.DecodeRune(r, pair); full != utf8.RuneError {
					dst = utf8.AppendRune(dst, full)
					body = body[6:]
					continue
				}
			}
			dst = lone(dst, r)
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
}

// lowSurrogate reads the \uXXXX escape that body starts with; it returns -1 if there is none.
func lowSurrogate(body []byte) rune {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return -1
	}
	return hex4(body[2:])
}

func unescapeShort(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // quote, backslash and slash
}

// ReplaceLone writes an unpaired surrogate as encoding/json does.
func ReplaceLone(dst []byte, _ rune) []byte { return append(dst, "\uFFFD"...) }

// KeepLone writes an unpaired surrogate in generalized UTF-8 (WTF-8), so that different ones stay
// different.
func KeepLone(dst []byte, r rune) []byte {
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

const hexDigits = "0123456789abcdef"

// AppendEscaped appends s as the inside of a JSON string, without the quotes. It escapes only what
// JSON requires: no HTML escaping. Bytes that are not UTF-8 become U+FFFD, because JSON text must
// be UTF-8.
func AppendEscaped(dst []byte, s string) []byte {
	plain := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[plain:i]...), "\uFFFD"...)
				plain = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[plain:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
		i++
		plain = i
	}
	return append(dst, s[plain:]...)
}

// AppendQuoted appends s as a JSON string.
func AppendQuoted(dst []byte, s string) []byte {
	dst = slices.Grow(dst, len(s)+len(s)/16+len(`""`)) // some characters are escaped
	return append(AppendEscaped(append(dst, '"'), s), '"')
}

// CutEscaped splits body, the inside of a JSON string, at the largest offset of at most n that is
// not within an escape, a surrogate pair or a UTF-8 sequence. Both halves are valid insides of JSON
// strings.
func CutEscaped(body []byte, n int) (head, tail []byte) {
	if n >= len(body) {
		return body, nil
	}
	cut := 0
	for cut < n {
		size := 1
		switch c := body[cut]; {
		case c == '\\':
			size = max(escapeLen(body[cut:]), 1)
			if size == 6 && utf16.IsSurrogate(hex4(body[cut+2:])) {
				if low := lowSurrogate(body[cut+6:]); low >= 0 &&
					utf16.DecodeRune(hex4(body[cut+2:]), low) != utf8.RuneError {
					size = 12
				}
			}
		case c >= utf8.RuneSelf:
			_, size = utf8.DecodeRune(body[cut:])
		}
		if cut+size > n {
			break
		}
		cut += size
	}
	return body[:cut], body[cut:]
}
