// Package search finds the references in a text, such as paths and ids, and which of a fixed set of
// references and lines a text contains.
//
// It knows no conversation.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// References are words that an answer may have to repeat exactly: URLs, paths, file names, symbols
// (snake_case, camelCase), ids and hashes (letters with two or more digits) and numbers of five or
// more digits. They are compared without the punctuation around them, so that ./cmd/x.go and
// /cmd/x.go: are both cmd/x.go, and without the line numbers that compilers append.

const (
	minReference = 3
	// MaxReference is the largest size of a reference in bytes: longer words are data.
	MaxReference = 200
)

// EachReference yields every occurrence of a reference in text.
func EachReference(text string, yield func(string)) {
	for i := 0; i < len(text); {
		start := i
		i += spanOf(text[i:], inName)
		url := i > start && strings.HasPrefix(text[i:], "://")
		if url {
			i += spanOf(text[i:], inName|inURL)
		}
		if i == start {
			i++
			continue
		}
		word := strings.Trim(text[start:i], "./-~@:?&=#%+")
		if len(word) >= minReference && len(word) <= MaxReference && (url || isReference(word)) {
			yield(word)
		}
	}
}

const (
	inName byte = 1 << iota
	inURL
	letter
	digit
	upper
)

// spanOf returns how many bytes at the beginning of a text are of characters with one of these
// kinds.
func spanOf(text string, kinds byte) (n int) {
	for n < len(text) {
		kind, size := kindAt(text, n)
		if kind&kinds == 0 {
			break
		}
		n += size
	}
	return n
}

// kindAt returns the kind of the character at text[i], and its length in bytes. The letters beyond
// ASCII that names have are those of scripts with spaces between words.
func kindAt(text string, i int) (kind byte, size int) {
	r, size := utf8.DecodeRuneInString(text[i:])
	return kindOf(r), size
}

func kindOf(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return referenceByte[r]
	case !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Mn):
		return 0
	case unicode.IsUpper(r):
		return inName | letter | upper
	}
	return inName | letter
}

// referenceByte classifies what an ASCII character can be part of.
var referenceByte = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c] = inName | letter
		t[c-'a'+'A'] = inName | letter | upper
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = inName | digit
	}
	for _, c := range "_-./@~" {
		t[c] = inName
	}
	for _, c := range ":?&=#%+" {
		t[c] = inURL
	}
	return t
}()

// InName reports whether a character can be part of a name or a path.
func InName(r rune) bool { return kindOf(r)&inName != 0 }

// IsName reports whether every character of a text can be part of a reference.
func IsName(text string) bool { return spanOf(text, inName|inURL) == len(text) }

// isReference reports whether a word is a reference rather than a plain word.
func isReference(word string) bool {
	var letters, digits, slashes, unders, dots, humps int
	before := byte(0)
	for _, c := range word {
		kind := kindOf(c)
		lower := before&(letter|upper) == letter
		before = kind
		switch {
		case kind&letter != 0:
			letters++
			if kind&upper != 0 && lower {
				humps++
			}
		case kind&digit != 0:
			digits++
		case c == '/':
			slashes++
		case c == '_':
			unders++
		case c == '.':
			dots++
		}
	}
	switch {
	case slashes == 1 && digits+unders+dots+humps == 0:
		return false // and/or, read/write
	case slashes > 0:
		return letters >= 2 && len(word) >= 5
	case letters == 0:
		return digits >= 5
	case dots > 0 && len(word) >= 4 && hasExtension(word):
		return true
	case digits >= 2 && len(word) >= 6:
		return true
	}
	return utf8.RuneCountInString(word) >= 5 && letters >= 4 && (unders > 0 || humps > 0)
}

// hasExtension reports whether a word ends in a file extension: a dot followed by one to five
// letters or digits, one of them a letter.
func hasExtension(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	extension := word[dot+1:]
	if dot < 1 || len(extension) == 0 || len(extension) > 5 {
		return false
	}
	letters := 0
	for i := range len(extension) {
		kind := referenceByte[extension[i]]
		if kind&(letter|digit) == 0 {
			return false
		}
		if kind&letter != 0 {
			letters++
		}
	}
	return letters > 0
}
