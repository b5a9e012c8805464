package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/reference"
)

// mention is a reference in a message.
type mention struct {
	word      string
	kind      reference.Kind
	place, in int32
	asked     bool
}

// readUnsure reads what may be a name or the end of one sentence and the beginning of the next,
// with no space between: "call.We". It is a name if a call, a result or code has it as well, in
// these turns or in those of the table of earlier ones.
func (t *Reader) readUnsure(known *Table) {
	var earlier map[string]bool
	for i := range t.unsure {
		m := &t.unsure[i]
		if earlier == nil {
			earlier = map[string]bool{}
			for k := range known.Names {
				if word := known.Names[k].Word; twoSentences(word) {
					earlier[word] = true
				}
			}
		}
		if _, ok := t.index[m.word]; ok || earlier[m.word] {
			t.mention(m)
		}
	}
	t.unsure = t.unsure[:0]
}

// twoSentences reports whether a word may be the end of a sentence and the beginning of another:
// after a small letter and its last dot, it has only a capital letter and small ones. It is no
// path with folders.
func twoSentences(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	before, _ := utf8.DecodeLastRuneInString(word[:max(dot, 0)])
	first, size := utf8.DecodeRuneInString(word[dot+1:])
	if !unicode.IsLower(before) || !unicode.IsUpper(first) {
		return false
	}
	for _, r := range word[dot+1+size:] {
		if !unicode.IsLower(r) {
			return false
		}
	}
	return !strings.ContainsAny(word, `/\`)
}
