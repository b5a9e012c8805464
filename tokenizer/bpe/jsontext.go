package bpe

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unescapeInto appends to dst, up to its capacity, what src stands for, and returns
// what is left of src.
func unescapeInto(dst, src []byte, escaped bool) (_, rest []byte) {
	for len(src) > 0 && cap(dst)-len(dst) >= utf8.UTFMax {
		if escaped && src[0] == '\\' {
			r, size := unescape(src)
			dst = utf8.AppendRune(dst, r)
			src = src[size:]
			continue
		}
		plain := src[:min(len(src), cap(dst)-len(dst))]
		if escaped {
			if i := bytes.IndexByte(plain, '\\'); i >= 0 {
				plain = plain[:i]
			}
		}
		if len(plain) < len(src) { // not within a rune
			for cut := 1; cut < utf8.UTFMax && cut < len(plain); cut++ {
				if utf8.RuneStart(plain[len(plain)-cut]) {
					if !utf8.FullRune(plain[len(plain)-cut:]) {
						plain = plain[:len(plain)-cut]
					}
					break
				}
			}
		}
		if utf8.Valid(plain) {
			dst = append(dst, plain...)
			src = src[len(plain):]
			continue
		}
		for len(plain) > 0 && cap(dst)-len(dst) >= utf8.UTFMax {
			r, size := utf8.DecodeRune(plain)
			dst = utf8.AppendRune(dst, r)
			plain = plain[size:]
			src = src[size:]
		}
	}
	return dst, src
}

// unescape reads the escape at the start of src as encoding/json does. What is not valid in a JSON
// string is taken literally.
func unescape(src []byte) (r rune, size int) {
	if len(src) < 2 {
		return '\\', 1
	}
	switch src[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, ok := unescapeUnit(src)
		if !ok {
			return 'u', 2
		}
		if utf16.IsSurrogate(r) {
			if low, ok := unescapeUnit(src[6:]); ok {
				if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
					return full, 12
				}
			}
			return utf8.RuneError, 6
		}
		return r, 6
	}
	if src[1] >= utf8.RuneSelf {
		return '\\', 1
	}
	return rune(src[1]), 2
}

// unescapeUnit reads a \uXXXX.
func unescapeUnit(src []byte) (r rune, ok bool) {
	if len(src) < 6 || src[0] != '\\' || src[1] != 'u' {
		return 0, false
	}
	for _, c := range src[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
