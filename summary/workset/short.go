package workset

import "strings"

// replacement is a text that an edit replaced, and the message that made the edit.
type replacement struct {
	text string
	at   int
}

// replacements are those of a file that are short, the newest first.
type replacements []replacement

// isShort reports whether a replaced text has lines that are too short to say which lines of a file
// they were: "max: 10", or a brace.
func isShort(text string) bool {
	short := false
	for l := range strings.SplitSeq(text, "\n") {
		short = short || !blank(l) && !counts(l)
	}
	return short
}

// add adds a replaced text that is short, which is older than those added before. If there are too
// many, the last stands for any text.
func (s *replacements) add(r replacement) {
	r.text = strings.ReplaceAll(r.text, "\r\n", "\n") // as in blocks
	switch n := len(*s); {
	case n < maxParts:
		*s = append(*s, r)
	default:
		(*s)[n-1] = replacement{"", r.at}
	}
}

// touch notes in blocks of the file the first edit after them that replaced a short text which they
// contain. Their lines may be out of date: an edit may have replaced that text at this place.
func (s *replacements) touch(blocks []Block) {
	if len(*s) == 0 {
		return
	}
	for i := range blocks {
		b := &blocks[i]
		text := strings.Join(b.Lines, "\n") + "\n"
		for _, r := range *s {
			first := r.at > b.At && (b.Touched == 0 || r.at < b.Touched)
			if first && strings.Contains(text, r.text) {
				b.Touched = r.at
			}
		}
	}
}
