package excerpt

import (
	"strings"
	"unicode"
)

// Gap marks where a quote was cut.
const Gap = " […] "

// MostRead limits how much of each end of a long text is read for a quote.
const MostRead = 8 << 10

// longestMark is longer than each of marks.
const longestMark = 32

// Quote returns text on one line of at most n bytes, safe within a record. Cuts are marked. Of each
// end of a long text, it reads only as much as the quote depends on.
func Quote(text string, n int) string {
	if near := n + n/4 + longestMark; len(text) > 2*near {
		first, last := Line(Head(text, near)), Line(Tail(text, near))
		if shows := n + longestMark; len(first) >= shows && len(last) >= shows {
			return Cut(first+last, n)
		}
	}
	if len(text) > 2*MostRead {
		return Cut(Line(Head(text, MostRead))+Gap+Line(Tail(text, MostRead)), n)
	}
	return Cut(Line(text), n)
}

// Cut returns a line of at most n bytes. Of a longer line, it returns the beginning and the end
// with a mark between them.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n <= len(Gap)+8 {
		return FirstWords(s, max(0, n-len("[…]"))) + "[…]"
	}
	keep := n - len(Gap)
	first := strings.TrimRight(FirstWords(s, keep*2/3), " ")
	last := strings.TrimLeft(LastWords(s, keep-len(first)), " ")
	// One mark is enough where another cut was.
	return strings.TrimSuffix(first, strings.TrimRight(Gap, " ")) + Gap +
		strings.TrimPrefix(last, strings.TrimLeft(Gap, " "))
}

// Beginning returns the beginning of a text on a line of at most n bytes. A mark follows it if
// the text goes on.
func Beginning(text string, n int) string {
	const mark = " […]"
	s := Line(Head(text, MostRead))
	if len(s) <= n && len(text) <= MostRead {
		return s
	}
	return strings.TrimRight(FirstWords(s, max(0, n-len(mark))), " ") + mark
}

// longWord is the length in bytes of a word that may be split.
const longWord = 32

// FirstWords is Head, without the part of a word at its end. Half a path or address is a name that
// nobody wrote. A long word that is more than half of the text is split.
func FirstWords(s string, n int) string {
	h := Head(s, n)
	if len(h) == len(s) {
		return h
	}
	return s[:CutEnd(s, len(h), min(len(h)/2, max(0, len(h)-longWord)))]
}

// LastWords is Tail, without the part of a word at its beginning.
func LastWords(s string, n int) string {
	from := len(s) - len(Tail(s, n))
	if from == 0 {
		return s
	}
	return s[CutStart(s, from, from+max((len(s)-from)/2, longWord)):]
}

// HasWords reports whether a text has a letter or a digit.
func HasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}
