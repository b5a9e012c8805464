package probe

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
)

// closing has the marks that end a quotation, by the mark that begins it.
var closing = map[rune]string{
	'"': `"`, '“': "”“", '”': "”", '„': "“”", '«': "»", '»': "«", '‹': "›", '「': "」", '『': "』",
	'《': "》", '＂': "＂",
}

// minQuotation is the minimum number of words that count as a quotation: a single one may be a name
// or a term.
const minQuotation = 2

// misquotes reports whether a text has words between quotation marks that none of the messages
// contains verbatim.
func (x *Index) misquotes(text string, at []int) bool {
	for quotation := range quotations(text) {
		held := false
		for _, i := range at {
			if held = strings.Contains(x.lower(i), normal.Lower(quotation)); held {
				break
			}
		}
		if !held {
			return true
		}
	}
	return false
}

// quotations yields what a one-line text has between quotation marks, if it has two words or more,
// without punctuation at its ends. An omission divides a quotation into two.
func quotations(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(text); {
			r, size := utf8.DecodeRuneInString(text[at:])
			at += size
			ends, opens := closing[r]
			if !opens {
				continue
			}
			end := strings.IndexAny(text[at:], ends)
			if end < 0 {
				continue
			}
			quotation := strings.ReplaceAll(text[at:at+end], "...", "…")
			for part := range strings.SplitSeq(quotation, "…") {
				part = strings.TrimFunc(part, func(r rune) bool {
					return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
				})
				if countWords(part) >= minQuotation && !yield(part) {
					return
				}
			}
			_, size = utf8.DecodeRuneInString(text[at+end:])
			at += end + size
		}
	}
}
