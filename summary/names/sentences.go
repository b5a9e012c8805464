package names

import (
	"strings"

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
// behind a small letter and its last dot, it has only a capital letter and small ones. It is no
// path with folders.
func twoSentences(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	if dot < 1 || dot+1 == len(word) || !isSmall(word[dot-1]) || word[dot+1] < 'A' ||
		word[dot+1] > 'Z' {
		return false
	}
	for i := dot + 2; i < len(word); i++ {
		if !isSmall(word[i]) {
			return false
		}
	}
	return !strings.ContainsAny(word, `/\`)
}

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }
