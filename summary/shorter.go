package summary

import (
	"slices"
	"strings"
)

// Where there is no room for all quotes of the assistant's words, older ones are shorter, so that
// more of them are shown: what was said first is often in no other place.
const (
	olderQuote  = 160 // bytes of the assistant's closing words
	olderBegin  = 80  // bytes of the beginning of what a terse message answers
	olderEnd    = 120 // bytes of its end
	shownQuotes = 3   // a third of the room is for each kind
)

// shortened returns the summary with shorter quotes where room bytes do not suffice. The newest
// quote of each kind stays.
func (sum *Summary) shortened(room int) *Summary {
	s := *sum
	size := 0
	for i := range s.Words {
		size += len(s.Words[i].Text)
		if s.Words[i].Answers != nil {
			size += len(s.Words[i].Answers.Text)
		}
	}
	if size > room/shownQuotes {
		s.Words = slices.Clone(s.Words)
		for i := 1; i < len(s.Words); i++ {
			if q := s.Words[i].Answers; q != nil {
				short := *q
				short.Text = shorterQuestion(q.Text)
				s.Words[i].Answers = &short
			}
		}
	}
	size = 0
	for i := range s.Reports[:min(len(s.Reports), maxDone)] {
		size += len(s.Reports[i].Text)
	}
	if size > room/shownQuotes {
		s.Reports = slices.Clone(s.Reports)
		for i := 1; i < len(s.Reports); i++ {
			s.Reports[i].Text = cut(s.Reports[i].Text, olderQuote)
		}
	}
	return &s
}

// shorterQuestion returns what [question] returned with less of the beginning and of the end.
func shorterQuestion(text string) string {
	if len(text) <= olderBegin+len(gap)+olderEnd {
		return text
	}
	begin, options, end := text, "", text
	if first := strings.Index(text, gap); first >= 0 {
		last := strings.LastIndex(text, gap)
		begin, end = text[:first], text[last+len(gap):]
		if last > first {
			options = text[first+len(gap):last] + gap
		}
	}
	return strings.TrimRight(headOfWords(begin, olderBegin), " ") + gap + options +
		strings.TrimLeft(tailOfWords(end, olderEnd), " ")
}
