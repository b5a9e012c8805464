package reference

import (
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a reference.
type Kind byte

// The kinds, the least significant first.
const (
	None Kind = iota
	Number
	Symbol
	ID
	Path
	URL
)

// minDigits is the minimum length of a number that is a name rather than an amount.
const minDigits = 5

// maxLen is the length in bytes of the longest reference; longer words are data.
const maxLen = 160

// trim removes the punctuation around a reference, except at the beginning of a path.
func trim(word string) string {
	for word != "" && edgeByte[word[len(word)-1]] {
		word = word[:len(word)-1]
	}
	if word == "" || word[0] == '/' || word[0] == '~' || beginsName(word) {
		return word
	}
	for word != "" && edgeByte[word[0]] {
		word = word[1:]
	}
	return word
}

// edgeByte is the set of bytes that surround references as punctuation.
var edgeByte = func() (t [256]bool) {
	for _, c := range "./:-@#=&?%+~" {
		t[c] = true
	}
	return t
}()

// counts has the numbers of the kinds of characters in a word.
type counts struct{ lower, upper, digit, under, slash, dot, colon int }

func count(word string) (n counts) {
	for i := range len(word) {
		switch c := word[i]; {
		case 'a' <= c && c <= 'z':
			n.lower++
		case 'A' <= c && c <= 'Z':
			n.upper++
		case '0' <= c && c <= '9':
			n.digit++
		case c == '_':
			n.under++
		case c == '/':
			n.slash++
		case c == '.':
			n.dot++
		case c == ':':
			n.colon++
		case beginsLetter[c]:
			switch letter, _ := letterAt(word, i); letter {
			case lower:
				n.lower++
			case upper:
				n.upper++
			}
		}
	}
	return n
}

// dumped reports whether a word has two dots in a row more than once, not counting those of
// folders, as in "../../a". No name has. Dumps of bytes have dots in place of what does not print.
func dumped(word string) bool {
	pairs := 0
	for {
		_, rest, found := strings.Cut(word, "..")
		if !found || pairs > 1 {
			return pairs > 1
		}
		if word = rest; rest == "" || rest[0] != '/' {
			pairs++
		}
	}
}

func classify(word string, seen counts) Kind {
	n := len(word)
	if n < 3 || n > maxLen || seen.dot > 3 && dumped(word) {
		return None
	}
	letters := seen.lower + seen.upper
	switch {
	case seen.slash >= 2 && seen.colon > 0 && strings.Contains(word, "://"):
		return URL
	case seen.slash > 0:
		if letters < 2 || utf8.RuneCountInString(word) < 5 || plainPair(word, seen) {
			return None
		}
		return Path
	case letters == 0:
		if seen.digit >= minDigits && seen.digit == n {
			return Number
		}
		return None
	case seen.digit > 0 && measure(word):
		return None
	case seen.dot > 0 && n >= 4 && HasExtension(word):
		return Path
	case seen.digit > 0 && isID(word, seen):
		return ID
	case seen.under > 0 && letters >= 4:
		return Symbol
	case seen.upper > 0 && seen.lower > 0 && isMixedCase(word):
		return Symbol
	}
	return None
}

// classifyPlain is classify for a word without slashes and digits, whose characters need not be
// counted. in has their classes, and those of the ones that were trimmed.
func classifyPlain(word string, in classes) Kind {
	n := len(word)
	switch {
	case n < 3 || n > maxLen || in&(lower|upper) == 0,
		in&other != 0 && dumped(word):
		return None
	case n >= 4 && HasExtension(word):
		return Path
	case n < 5:
		return None
	case in&under != 0:
		if seen := count(word); seen.under > 0 && seen.lower+seen.upper >= 4 {
			return Symbol
		}
	}
	if isMixedCase(word) {
		return Symbol
	}
	return None
}

// color returns the length of the end of a terminal's color sequence whose first character was
// lost: "48m".
func color(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 || n == len(s) || s[n] != 'm' {
		return 0
	}
	return n + 1
}

// plainPair reports whether a word is two plain words with a slash between them, as in
// "read/write", and therefore not a path.
func plainPair(word string, seen counts) bool {
	return seen.slash == 1 && seen.digit+seen.dot+seen.under == 0 && word[0] != '/' &&
		word[0] != '~' && !isMixedCase(word) && !strings.Contains(word, "-")
}

// HasExtension reports whether a word ends in a file extension: a dot followed by one to five
// letters or digits, at least one of them a letter, with a name before it.
func HasExtension(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	ext := word[dot+1:]
	if dot < 1 || len(ext) == 0 || len(ext) > 5 {
		return false
	}
	letters := 0
	for i := range len(ext) {
		switch c := ext[i] | 0x20; {
		case 'a' <= c && c <= 'z':
			letters++
		case ext[i] < '0' || ext[i] > '9':
			return false
		}
	}
	return letters > 0
}

// isID reports whether a word is a hash, UUID or id: mixed letters and digits, at least six
// characters, two of them digits.
func isID(word string, seen counts) bool {
	return utf8.RuneCountInString(word) >= 6 && seen.digit >= 2 && seen.dot == 0
}

// measure reports whether a word is an amount or a time rather than a name: digits followed by a
// unit or by separators, as in "1m30s", "120ms", "4.2KB", "12:30:45", "1920x1080" or
// "2026-05-14T10:30:12Z".
func measure(word string) bool {
	digits, letters := 0, 0
	for _, c := range word {
		switch {
		case '0' <= c && c <= '9':
			digits++
			letters = 0
		case c == ':' || c == '.' || c == '-' || c == '+':
			letters = 0
		default:
			if letters++; letters > maxUnit || digits == 0 {
				return false
			}
		}
	}
	return digits > 0 && '0' <= word[0] && word[0] <= '9' && !hexadecimal(word)
}

// maxUnit is the length of the longest unit that directly follows a number.
const maxUnit = 3

// hexadecimal reports whether a word can be a hash: only hexadecimal digits, including letters.
func hexadecimal(word string) bool {
	letters := false
	for i := 0; i < len(word); i++ {
		switch c := word[i] | 0x20; {
		case 'a' <= c && c <= 'f':
			letters = true
		case word[i] < '0' || word[i] > '9':
			return false
		}
	}
	return letters && len(word) >= 7
}

// isMixedCase reports whether a word of at least five characters is in camelCase or PascalCase
// rather than the capitalized beginning of a sentence.
func isMixedCase(word string) bool {
	if len(word) < 5 {
		return false
	}
	afterLower := false
	for i := 0; i < len(word); {
		c, size := classOf[word[i]], 1
		if word[i] >= utf8.RuneSelf {
			c, size = letterAt(word, i)
		}
		if c == upper && afterLower {
			return utf8.RuneCountInString(word) >= 5
		}
		afterLower = c == lower || c == mark && afterLower
		i += size
	}
	return false
}

// beginsName reports whether the dot or the "@" at the beginning of a word belongs to its name:
// "./a", "../a", ".github/a.yml", ".eslintrc.json", "@acme/kit".
func beginsName(word string) bool {
	switch {
	case len(word) < 3:
		return false
	case word[0] == '@':
		return strings.IndexByte(word, '/') > 1
	case word[0] == '.':
		next, _ := classAt(word, 1)
		return strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") ||
			next&(lower|upper|under) != 0 &&
				(strings.IndexByte(word, '/') > 0 || HasExtension(word))
	}
	return false
}
