package replay

import "strings"

// References are words that an answer may have to repeat exactly: URLs, paths, file names, symbols
// (snake_case, camelCase), ids and hashes (letters with two or more digits) and numbers of five or
// more digits. They are compared without the punctuation around them, so that ./cmd/x.go and
// /cmd/x.go: are both cmd/x.go, and without the line numbers that compilers append.

const (
	minReference = 3
	maxReference = 200 // bytes; longer words are data
)

// eachReference yields every occurrence of a reference in text.
func eachReference(text string, yield func(string)) {
	for i := 0; i < len(text); {
		if referenceByte[text[i]] == 0 {
			i++
			continue
		}
		start := i
		for i < len(text) && referenceByte[text[i]]&inName != 0 {
			i++
		}
		url := i > start && strings.HasPrefix(text[i:], "://")
		for url && i < len(text) && referenceByte[text[i]] != 0 {
			i++
		}
		if i == start { // a byte that occurs only in URLs
			i++
			continue
		}
		word := strings.Trim(text[start:i], "./-~@:?&=#%+")
		if len(word) >= minReference && len(word) <= maxReference && (url || isReference(word)) {
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

// referenceByte classifies what a byte can be part of.
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

// isReference reports whether a word is a reference rather than a plain word.
func isReference(word string) bool {
	var letters, digits, slashes, unders, dots, humps int
	for i := range len(word) {
		c := word[i]
		switch kind := referenceByte[c]; {
		case kind&letter != 0:
			letters++
			if kind&upper != 0 && i > 0 && word[i-1] >= 'a' && word[i-1] <= 'z' {
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
	return len(word) >= 5 && letters >= 4 && (unders > 0 || humps > 0)
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
