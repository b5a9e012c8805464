package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
	"killick/probe/value"
)

// minShare is the share of a statement's rarer words that must occur near the messages that it
// names: long turns contain nearly every word of a language.
const minShare = 0.4

// Ground returns the statements that are grounded in the turns, their texts on one line,
// and the others with the first reason against them. Kept statements are not necessarily
// true: a false one in the conversation's own words beside a true quote is kept.
func (x *Index) Ground(statements []Statement) (kept []Statement, dropped []Drop) {
	seen := map[string]bool{}
	for n, s := range statements {
		reason := TooMany
		if n < MaxStatements {
			s.Text, s.Quote = boundedLine(s.Text), boundedLine(s.Quote)
			s.Messages = distinct(s.Messages)
			reason = x.ungrounded(&s)
		}
		same := s.Section + "\x00" + normal.Lower(s.Text)
		switch {
		case reason == "" && seen[same]:
			dropped = append(dropped, Drop{s, Repeated})
		case reason == "":
			seen[same] = true
			// Other messages that a model names would make old words look newer than they are.
			s.Messages = slices.DeleteFunc(s.Messages, func(number int) bool {
				return !x.holdQuote([]int{number}, s.Quote)
			})
			s.Writer, s.At = x.writerOf(s.Messages, s.Quote), s.Messages[0]
			kept = append(kept, s)
		default:
			dropped = append(dropped, Drop{s, reason})
		}
	}
	return kept, dropped
}

// boundedLine returns text as one line. Text that is far too long is not read to its end.
func boundedLine(text string) string {
	const most = 8 * max(MaxText, MaxQuote)
	return normal.Line(normal.Clip(text, most))
}

// ungrounded returns the first reason against a statement, "" if there is none.
func (x *Index) ungrounded(s *Statement) Reason {
	switch {
	case countWords(s.Text) == 0:
		return NoText
	case utf8.RuneCountInString(s.Text) > MaxText,
		utf8.RuneCountInString(s.Quote) > MaxQuote, len(s.Messages) > maxNamed:
		return TooLong
	case len(s.Messages) == 0:
		return NoMessage
	}
	at := make([]int, len(s.Messages))
	for i, number := range s.Messages {
		index, ok := x.indexOf(number)
		if !ok {
			return OutOfRange
		}
		at[i] = index
	}
	if countWords(s.Quote) == 0 || !x.holdQuote(s.Messages, s.Quote) {
		return QuoteMissing
	}
	values := value.In(s.Text)
	around := x.withResults(at)
	for i := range values {
		if v := &values[i]; !x.holdValue(v, around) {
			return ValueMissing
		}
	}
	if x.otherCount(s.Text, s.Quote, x.near(at)) {
		return ValueMissing
	}
	if x.foreignScript(s.Text) || !x.inWords(s.Text, x.near(at)) {
		return WordsMissing
	}
	if x.misquotes(s.Text, x.near(at)) {
		return QuotationMissing
	}
	if x.outdated(s, at) {
		return Outdated
	}
	return ""
}

// inWords reports whether each sentence of a text is in words of messages near those that are
// named. Words of another sentence prove nothing about it.
func (x *Index) inWords(text string, near []int) bool {
	compared := false
	for sentence := range sentences(text) {
		values := value.In(sentence)
		if len(values) == 0 && !strings.ContainsFunc(sentence, unicode.IsLetter) {
			continue
		}
		compared = true
		if x.share(sentence, len(values), near) < minShare {
			return false
		}
	}
	return compared
}

// otherCount reports whether a number in text is next to a word that is next to another number in
// the quote, and no message near has it like that. Small numbers are not typed values, since
// summaries contain counts of their own; but a different number beside the same word is an altered
// one.
func (x *Index) otherCount(text, quote string, near []int) bool {
	quoted := countsOf(quote)
	if len(quoted) == 0 {
		return false
	}
	for c := range countsOf(text) {
		replaces := false
		for q := range quoted {
			replaces = replaces || q.word == c.word && q.before == c.before && q.number != c.number
		}
		if replaces && !slices.ContainsFunc(near, func(i int) bool {
			_, held := x.countsIn(i)[c]
			return held
		}) {
			return true
		}
	}
	return false
}

// countsIn returns the numbers of a message with the words beside them.
func (x *Index) countsIn(i int) map[counted]struct{} {
	if x.counts[i] == nil {
		x.counts[i] = countsOf(x.texts[i])
	}
	return x.counts[i]
}
