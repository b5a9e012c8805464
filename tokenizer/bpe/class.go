package bpe

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of the character classes that the published patterns name.
type class = uint8

const (
	isUpper   class = 1 << iota // \p{Lu} \p{Lt} \p{Lm} \p{Lo} \p{M}
	isLower                     // \p{Ll} \p{Lm} \p{Lo} \p{M}
	isLetter                    // \p{L}
	isNumber                    // \p{N}
	isSpace                     // \s
	isNewline                   // \r \n
	isOther                     // [^\s\p{L}\p{N}]
	isMulti                     // first byte of a rune of several bytes; only in byteClass
)

// classTable holds the class of every rune in blocks of 256; equal blocks are stored once.
type classTable struct {
	block [(unicode.MaxRune + 1) / 256]uint16
	class [][256]class
}

func (t *classTable) of(r rune) class { return t.class[t.block[r>>8]][r&0xFF] }

// classOfTwo is the class of each rune of two bytes, by what these spell of it.
var classOfTwo [1 << 11]class

// wideClass returns the class and the size of the rune of several bytes at i of
// valid UTF-8.
func wideClass(text []byte, i int) (c class, size int) {
	b := text[i : i+2]
	if b[0] < 0xE0 {
		return classOfTwo[uint(b[0]&0x1F)<<6|uint(b[1]&0x3F)], 2
	}
	r, size := decode(text, i)
	return classes.of(r), size
}

// classes is built with the first engine, before any text is split, from the tables of package
// unicode, which the reference uses too.
var (
	classes     classTable
	loadClasses = sync.OnceFunc(buildClasses)
)

func buildClasses() {
	all := make([]class, unicode.MaxRune+1)
	paint(all, unicode.L, isLetter|isUpper|isLower)
	paint(all, unicode.Lu, isLetter|isUpper)
	paint(all, unicode.Lt, isLetter|isUpper)
	paint(all, unicode.Ll, isLetter|isLower)
	paint(all, unicode.M, isUpper|isLower|isOther)
	paint(all, unicode.N, isNumber)
	paint(all, unicode.White_Space, isSpace)
	all['\r'] |= isNewline
	all['\n'] |= isNewline

	t := &classes
	known := make(map[[256]class]uint16)
	for i := range t.block {
		block := [256]class(all[i*256:])
		for j, c := range block {
			if c == 0 {
				block[j] = isOther
			}
		}
		n, ok := known[block]
		if !ok {
			n = uint16(len(t.class))
			known[block] = n
			t.class = append(t.class, block)
		}
		t.block[i] = n
	}
	for r := range classOfTwo {
		classOfTwo[r] = t.of(rune(r))
	}
}

func paint(all []class, table *unicode.RangeTable, c class) {
	for _, r := range table.R16 {
		for i := rune(r.Lo); i <= rune(r.Hi); i += rune(r.Stride) {
			all[i] = c
		}
	}
	for _, r := range table.R32 {
		for i := rune(r.Lo); i <= rune(r.Hi); i += rune(r.Stride) {
			all[i] = c
		}
	}
}

// byteClass is the class of a byte that is a rune, isMulti of the others.
var byteClass = func() (t [256]class) {
	for b := range t {
		switch {
		case b >= utf8.RuneSelf:
			t[b] = isMulti
		case b == '\r' || b == '\n':
			t[b] = isSpace | isNewline
		case b == ' ' || b >= '\t' && b <= '\r':
			t[b] = isSpace
		case b >= 'a' && b <= 'z':
			t[b] = isLetter | isLower
		case b >= 'A' && b <= 'Z':
			t[b] = isLetter | isUpper
		case b >= '0' && b <= '9':
			t[b] = isNumber
		default:
			t[b] = isOther
		}
	}
	return t
}()
