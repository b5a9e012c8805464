package reference

import "strings"

// classes is a set of the kinds of bytes that references are made of.
type classes uint16

const (
	lower classes = 1 << iota
	upper
	digit
	joint
	colon
	slash
	under
	other
)

// classOf has the class of each byte that references are made of, and 0 for all others.
var classOf = func() (t [256]classes) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = lower
		case 'A' <= c && c <= 'Z':
			t[c] = upper
		case '0' <= c && c <= '9':
			t[c] = digit
		case jointByte[c]:
			t[c] = joint
		case c == ':':
			t[c] = colon
		case c == '/':
			t[c] = slash
		case c == '_':
			t[c] = under
		case strings.IndexByte("-.@~", byte(c)) >= 0:
			t[c] = other
		}
	}
	return t
}()

// jointByte is the set of bytes that join words, except in a URL.
var jointByte = func() (t [256]bool) {
	for _, c := range "=&?#+%" {
		t[c] = true
	}
	return t
}()
