package compactor

import (
	"sort"
	"strings"
)

// refKind is the kind of a reference: something that a later turn may need to
// name exactly.
type refKind byte

const (
	refNone refKind = iota
	refNumber
	refSymbol
	refID
	refPath
	refURL
)

// ref is a reference that a text holds.
type ref struct {
	text  string
	kind  refKind
	count int
	first int // order of its first appearance
}

// maxRefLen is the longest reference that is kept; what is longer is data.
const maxRefLen = 160

// eachRef calls yield with every reference in text: URLs, paths and file names,
// symbols, ids and hashes, numbers of four digits and more. It is one pass over
// the bytes.
func eachRef(text string, yield func(word string, kind refKind)) {
	for i := 0; i < len(text); {
		if !wordByte[text[i]] {
			i++
			continue
		}
		start := i
		var seen byteClasses
		for i < len(text) && wordByte[text[i]] {
			seen.add(text[i])
			i++
		}
		if i-start < 3 || i-start > maxRefLen+8 {
			continue
		}
		word := trimRef(text[start:i])
		if kind := classifyRef(word, seen); kind != refNone {
			yield(word, kind)
		}
	}
}

// trimRef removes the punctuation around a reference, but for what begins a
// path.
func trimRef(word string) string {
	for word != "" && edgeByte[word[len(word)-1]] {
		word = word[:len(word)-1]
	}
	if word == "" || word[0] == '/' || word[0] == '~' || word[0] == '.' && (strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../")) {
		return word
	}
	for word != "" && edgeByte[word[0]] {
		word = word[1:]
	}
	return word
}

// edgeByte tells the bytes that stand around references as punctuation.
var edgeByte = func() (t [256]bool) {
	for _, c := range "./:-@#=&?%+~" {
		t[c] = true
	}
	return t
}()

// wordByte tells the bytes that references are made of.
var wordByte = func() (t [256]bool) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for _, c := range "_-./:@#=&?%+~" {
		t[c] = true
	}
	return t
}()

// byteClasses notes what kinds of bytes a word holds.
type byteClasses struct{ lower, upper, digit, under, slash, dot, colon int }

func (s *byteClasses) add(c byte) {
	switch {
	case 'a' <= c && c <= 'z':
		s.lower++
	case 'A' <= c && c <= 'Z':
		s.upper++
	case '0' <= c && c <= '9':
		s.digit++
	case c == '_':
		s.under++
	case c == '/':
		s.slash++
	case c == '.':
		s.dot++
	case c == ':':
		s.colon++
	}
}

func classifyRef(word string, seen byteClasses) refKind {
	n := len(word)
	if n < 3 || n > maxRefLen {
		return refNone
	}
	letters := seen.lower + seen.upper
	switch {
	case seen.slash >= 2 && seen.colon > 0 && strings.Contains(word, "://"):
		return refURL
	case seen.slash > 0:
		if letters < 2 || n < 5 {
			return refNone
		}
		return refPath
	case letters == 0:
		if seen.digit >= 4 {
			return refNumber
		}
		return refNone
	case seen.dot > 0 && n >= 4 && hasExtension(word):
		return refPath
	case seen.digit > 0 && isID(word, seen):
		return refID
	case seen.under > 0 && letters >= 4 && n >= 5:
		return refSymbol
	case seen.upper > 0 && seen.lower > 0 && n >= 5 && isMixedCase(word):
		return refSymbol
	}
	return refNone
}

// hasExtension tells file names: a dot with one to five letters or digits
// behind it, at least one of them a letter, and a name before it.
func hasExtension(word string) bool {
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

// isID tells hashes, UUIDs and ids: letters and digits mixed over six bytes and
// more, with at least two digits.
func isID(word string, seen byteClasses) bool {
	return len(word) >= 6 && seen.digit >= 2 && seen.dot == 0
}

// isMixedCase tells camelCase and PascalCase words from words that merely begin
// a sentence.
func isMixedCase(word string) bool {
	for i := 1; i < len(word); i++ {
		if 'A' <= word[i] && word[i] <= 'Z' && 'a' <= word[i-1] && word[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// topRefs returns the n references of text most worth keeping, in the order in
// which they stand in it: URLs and paths before ids and symbols before numbers,
// the frequent before the rare. Those in skip are left out.
func topRefs(text string, n int, skip func(string) bool) []string {
	if n <= 0 {
		return nil
	}
	index := map[string]int{}
	var refs []ref
	eachRef(text, func(word string, kind refKind) {
		if i, ok := index[word]; ok {
			refs[i].count++
			return
		}
		if skip != nil && skip(word) {
			return
		}
		index[word] = len(refs)
		refs = append(refs, ref{text: word, kind: kind, count: 1, first: len(refs)})
	})
	sort.SliceStable(refs, func(a, b int) bool { return refs[a].worth() > refs[b].worth() })
	refs = refs[:min(n, len(refs))]
	sort.Slice(refs, func(a, b int) bool { return refs[a].first < refs[b].first })
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = r.text
	}
	return words
}

func (r *ref) worth() int { return int(r.kind)*4 + min(r.count, 8) }
