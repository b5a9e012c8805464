package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// question returns what a terse answer refers to, on a line. Of a long text, it returns the end,
// where a question mostly is, less of the beginning, where it may be too, and the options between
// them that the answer names by their labels.
func question(text, answer string) string {
	const first, last = maxQuote / 2, maxQuote
	var s string
	if len(text) > 2*quoteBytes {
		s = line(head(text, quoteBytes)) + gap + line(tail(text, quoteBytes))
	} else {
		s = line(text)
	}
	if len(s) <= first+last {
		return s
	}
	begin := strings.TrimRight(headOfWords(s, first), " ")
	end := strings.TrimLeft(tailOfWords(s, last-len(gap)), " ")
	return begin + gap + options(head(text, 2*quoteBytes), answer, begin, end) + end
}

// The options that are shown of a question.
const (
	maxOptions = 3
	maxOption  = 120 // bytes of one
)

// options returns the lines of a text that begin with a label which the answer names, such as
// "B)" or "2.", each with a gap behind it, without those that begin or end shows.
func options(text, answer, begin, end string) string {
	named := labelsIn(answer)
	var b strings.Builder
	n := 0
	for l := range strings.Lines(text) {
		if !named[labelOf(l)] {
			continue
		}
		whole := line(l)
		if strings.Contains(begin, whole) || strings.Contains(end, whole) {
			continue
		}
		b.WriteString(strings.TrimSuffix(beginningOf(l, maxOption), gap[:len(gap)-1]) + gap)
		if n++; n == maxOptions {
			break
		}
	}
	return b.String()
}

// labelsIn returns the letters and numbers in an answer that can be labels of options.
func labelsIn(answer string) map[string]bool {
	named := map[string]bool{}
	for word := range strings.FieldsFuncSeq(answer, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if isLabel(word) {
			named[strings.ToLower(word)] = true
		}
	}
	return named
}

// isLabel reports whether a word is one letter, or a number of one or two digits.
func isLabel(word string) bool {
	n := utf8.RuneCountInString(word)
	return n == 1 || n == 2 && strings.TrimFunc(word, unicode.IsDigit) == ""
}

// labelOf returns the label at the beginning of a line, in lower case: a letter or number between
// the marks of lists and emphasis, before a closing mark. "" if it has none.
func labelOf(l string) string {
	l = strings.TrimLeft(l[:min(len(l), maxOption)], " \t-*#>_([")
	end := strings.IndexFunc(l, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end < 0 || !isLabel(l[:end]) {
		return ""
	}
	closing, _ := utf8.DecodeRuneInString(strings.TrimLeft(l[end:], "*_"))
	if !strings.ContainsRune(").:]）．：、", closing) {
		return ""
	}
	return strings.ToLower(l[:end])
}
