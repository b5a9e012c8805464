package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// classes is a set of the kinds of characters that references are made of.
type classes uint16

const (
	lower classes = 1 << iota
	upper
	digit
	joint
	colon
	slash
	under
	mark // on the letter before it
	other
)

// classOf has the class of each ASCII character that references are made of, and 0 for all other
// bytes.
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

// classAt returns the class of the character at text[i] and its length in bytes; 0 and 1 if
// references are not made of it.
func classAt(text string, i int) (c classes, size int) {
	if c := classOf[text[i]]; c != 0 {
		return c, 1
	}
	return letterAt(text, i)
}

// letterAt is classAt for a character beyond ASCII.
func letterAt(text string, i int) (c classes, size int) {
	if !beginsLetter[text[i]] {
		return 0, 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if c = classOfLetter(r); c == 0 {
		return 0, 1
	}
	return c, size
}

// classOfLetter returns the class of a character beyond ASCII, 0 if references are not made of it.
func classOfLetter(r rune) classes {
	if r < endOfTable {
		return commonLetters[r]
	}
	return classOfRune(r)
}

// beginsLetter is the set of bytes that begin the letters beyond ASCII that names are written with:
// those from Latin-1 to Cyrillic (U+00C0 to U+052F), and of Latin Extended Additional and Greek
// Extended (U+1E00 to U+1FFF).
var beginsLetter = func() (t [256]bool) {
	for b := 0xC3; b <= 0xD4; b++ {
		t[b] = true
	}
	t[0xE1] = true
	return t
}()

// commonLetters has the classes of the letters that most names beyond ASCII are written with.
var commonLetters = func() (t [endOfTable]classes) {
	for r := range t {
		t[r] = classOfRune(rune(r))
	}
	return t
}()

// endOfTable is the end of the block of Cyrillic letters.
const endOfTable = 0x530

func classOfRune(r rune) classes {
	switch {
	case !alphabetic(r):
		return 0
	case unicode.IsMark(r):
		return mark
	case unicode.IsUpper(r):
		return upper
	}
	return lower
}

// alphabetic reports whether a character is a letter, or a mark on one, of a script whose words
// stand between spaces, so that the ends of a name are known. Scripts that are written without
// spaces, or whose particles join other words, surround whole names.
func alphabetic(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Mn)
}

// nameEnd returns where the run of characters that references are made of ends that begins at
// text[i].
func nameEnd(text string, i int) int {
	for i < len(text) {
		c, size := classAt(text, i)
		if c == 0 {
			break
		}
		i += size
	}
	return i
}
