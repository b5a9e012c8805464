package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Question returns what a terse answer refers to, on a line. Of a long text, it returns the last n
// bytes, where a question mostly is, half as many of the beginning, where it may be too, and the
// options between them that the answer names by their labels.
func Question(text, answer string, n int) string {
	first, last := n/2, n
	var s string
	if len(text) > 2*MostRead {
		s = Line(Head(text, MostRead)) + Gap + Line(Tail(text, MostRead))
	} else {
		s = Line(text)
	}
	if len(s) <= first+last {
		return s
	}
	begin := strings.TrimRight(FirstWords(s, first), " ")
	end := strings.TrimLeft(LastWords(s, last-len(Gap)), " ")
	return begin + Gap + options(Head(text, 2*MostRead), answer, begin, end) + end
}

// What is shown of a question where there is no room for more, in bytes.
const (
	shortBegin = 80  // of the beginning
	shortEnd   = 120 // of the end
)

// ShorterQuestion returns what [Question] returned with less of the beginning and of the end.
func ShorterQuestion(text string) string {
	if len(text) <= shortBegin+len(Gap)+shortEnd {
		return text
	}
	begin, options, end := text, "", text
	if first := strings.Index(text, Gap); first >= 0 {
		last := strings.LastIndex(text, Gap)
		begin, end = text[:first], text[last+len(Gap):]
		if last > first {
			options = text[first+len(Gap):last] + Gap
		}
	}
	return strings.TrimRight(FirstWords(begin, shortBegin), " ") + Gap + options +
		strings.TrimLeft(LastWords(end, shortEnd), " ")
}

// The options that are shown of a question.
const (
	maxOptions = 3
	maxOption  = 120 // bytes of one
)

// options returns the lines of a text that begin with a label which the answer names, such as
// "B)" or "2.", each with a gap after it, without those that begin or end shows.
func options(text, answer, begin, end string) string {
	named := labelsIn(answer)
	var b strings.Builder
	n := 0
	for l := range strings.Lines(text) {
		if !named[labelOf(l)] {
			continue
		}
		whole := Line(l)
		if strings.Contains(begin, whole) || strings.Contains(end, whole) {
			continue
		}
		b.WriteString(strings.TrimSuffix(Beginning(l, maxOption), Gap[:len(Gap)-1]) + Gap)
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
