package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of statements, in characters unless noted.
const (
	MaxText       = 500
	MaxQuote      = 500
	MaxStatements = 100 // that are read
	maxNamed      = 8   // messages that one statement names
)

// A quote is evidence if it has two words, or a typed value. A single word occurs in
// nearly every conversation and proves nothing.
const minQuoteWords = 2

// minShare is the share of a statement's rarer words that must occur in the turns, and
// minNearShare the share near the messages that it names: long turns contain nearly every
// word of a language.
const (
	minShare     = 0.5
	minNearShare = 0.4
)

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
		same := s.Section + "\x00" + lower(s.Text)
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

// distinct returns numbers in order, without repetitions.
func distinct(numbers []int) []int {
	return slices.Compact(slices.Sorted(slices.Values(numbers)))
}

// boundedLine returns text as one line. Text that is far too long is not read to its end.
func boundedLine(text string) string {
	const most = 8 * max(MaxText, MaxQuote)
	return line(clip(text, most))
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
	if reason := x.noEvidence(s.Quote); reason != "" {
		return reason
	}
	if !x.holdQuote(s.Messages, s.Quote) {
		return QuoteMissing
	}
	values := Values(s.Text)
	around := x.withResults(at)
	for i := range values {
		if v := &values[i]; !x.holdValue(v, around) {
			if x.holdAltered(v, around) {
				return ValueAltered
			}
			return ValueMissing
		}
	}
	if x.otherName(s.Text) {
		return ValueMissing
	}
	if x.otherCount(s.Text, s.Quote, x.near(at)) {
		return ValueAltered
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

// inWords reports whether each sentence of a text is in words of the turns and of the messages near
// those that are named. Words beside a sentence that the turns do contain prove nothing about it.
func (x *Index) inWords(text string, near []int) bool {
	compared := false
	for sentence := range sentences(text) {
		values := Values(sentence)
		if len(values) == 0 && !strings.ContainsFunc(sentence, unicode.IsLetter) {
			continue
		}
		compared = true
		inTurns, inNear := x.shares(sentence, len(values), near)
		if inTurns < minShare || inNear < minNearShare {
			return false
		}
	}
	return compared
}

// noEvidence returns why a one-line quote is not evidence, "" if it is.
func (x *Index) noEvidence(quote string) Reason {
	if quote == "" {
		return QuoteMissing
	}
	if countWords(quote) >= minQuoteWords {
		specific := false
		eachWord(quote, func(w string, pair bool) {
			specific = specific || pair || rare(w)
		})
		if specific {
			return ""
		}
	}
	if len(Values(quote)) == 0 {
		return QuoteShort
	}
	return ""
}
