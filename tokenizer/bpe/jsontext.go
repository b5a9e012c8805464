package bpe

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// countJSON counts the body of a JSON string.
func (e *engine) countJSON(body []byte) int {
	if bytes.IndexByte(body, '\\') < 0 {
		return e.count(body)
	}
	if e.fallback.Load() != nil {
		text, _ := unescapeInto(make([]byte, 0, 3*len(body)+utf8.UTFMax), body, true)
		return e.count(text)
	}
	return e.countDecoded(body, true)
}

// countDecoded counts text of which bytes that are not UTF-8, and escapes where it has them, must
// be replaced first. It does so a buffer at a time, cut where no piece can reach across.
func (e *engine) countDecoded(src []byte, escaped bool) int {
	t := tally{engine: e}
	sc := t.scratch()
	defer t.release()
	buf := sc.decoded[:0]
	n := 0
	for len(src) > 0 {
		buf, src = unescapeInto(buf, src, escaped)
		end := len(buf)
		if len(src) > 0 {
			if end = lastCut(buf); end == 0 {
				buf = append(make([]byte, 0, 2*cap(buf)), buf...)
				continue
			}
		}
		n += t.count(buf[:end])
		buf = buf[:copy(buf, buf[end:])]
	}
	return n
}

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

// lastCut returns the last place in text at which a piece ends under every pattern, whatever
// follows text, so that both sides have as many tokens as the whole: after a number that no number
// follows, or after a letter that no letter, mark or apostrophe follows. It returns zero if there
// is none.
func lastCut(text []byte) int {
	end := len(text)
	after := isLetter // of the rune at end; unknown, so the last rune is not a cut
	apostrophe := false
	for end > 0 {
		r, size := utf8.DecodeLastRune(text[:end])
		c := classes.of(r)
		if end < len(text) {
			if c&isNumber != 0 && after&isNumber == 0 ||
				c&isLetter != 0 && after&(isUpper|isLower) == 0 && !apostrophe {
				return end
			}
		}
		after, apostrophe = c, r == '\''
		end -= size
	}
	return 0
}
