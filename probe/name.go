package probe

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// otherName reports whether a text has a name in mixed case, such as getRepoMap, that the turns do
// not have in any case. Parts of such a name occur as words, so a similar name would pass for one.
func (x *Index) otherName(text string) bool {
	for name := range names(text) {
		if mixedCase(name) && !x.hasName(lower(name)) {
			return true
		}
	}
	return false
}

// hasName reports whether the turns have a name in lower case.
func (x *Index) hasName(name string) bool {
	if x.names == nil {
		x.names = map[string]struct{}{}
		for _, text := range x.texts {
			for name := range names(text) {
				x.names[lower(name)] = struct{}{}
			}
		}
	}
	_, ok := x.names[name]
	return ok
}

// names yields the runs of letters, digits and underscores of a text.
func names(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !inWord(r) })
}

// mixedCase reports whether a word has a capital letter after a small one.
func mixedCase(word string) bool {
	small := false
	for _, r := range word {
		if small && unicode.IsUpper(r) {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// containsWhole reports whether text contains want, and not as a part of a longer word
// or name. Scripts without spaces have no such parts.
func containsWhole(want, text string) bool {
	if want == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(want)
	last, _ := utf8.DecodeLastRuneInString(want)
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(want):])
		if (!inWord(first) || !inWord(before)) && (!inWord(last) || !inWord(after)) {
			return true
		}
		from = i + len(want)
	}
}

// inWord reports whether r may occur inside a word or name.
func inWord(r rune) bool {
	return r != utf8.RuneError && !unspaced(r) &&
		(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
