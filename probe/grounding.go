package probe

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of statements, in characters.
const (
	MaxText       = 500
	MaxQuote      = 500
	MaxStatements = 100 // that are read
	maxNamed      = 8   // messages that one statement names
)

// A quote is evidence from two words on, or with a typed value in it. One word alone
// stands in nearly every conversation and proves nothing.
const leastQuoteWords = 2

// leastShare is the share of a statement's rarer words that stands in the turns, and
// leastNear that of those which stand in the messages that it names, or in the calls
// and results that belong to them: long turns hold nearly every word of a language.
const (
	leastShare = 0.5
	leastNear  = 0.4
)

// Ground returns the statements that rest on the turns, each folded to one line, and
// the others with the first reason against them. It never says that what is kept is
// true: a false statement in the conversation's own words beside a true quote is
// kept.
func (x *Index) Ground(statements []Statement) (kept []Statement, dropped []Drop) {
	seen := map[string]bool{}
	for n, s := range statements {
		reason := TooMany
		if n < MaxStatements {
			s.Text, s.Quote = trimmed(s.Text), trimmed(s.Quote)
			s.Messages = slices.Compact(slices.Sorted(slices.Values(s.Messages)))
			reason = x.ungrounded(&s)
		}
		same := s.Section + "\x00" + lower(s.Text)
		switch {
		case reason == "" && seen[same]:
			dropped = append(dropped, Drop{s, Repeated})
		case reason == "":
			seen[same] = true
			kept = append(kept, s)
		default:
			dropped = append(dropped, Drop{s, reason})
		}
	}
	return kept, dropped
}

// trimmed brings text to one line. What is many times too long is not read to its
// end.
func trimmed(text string) string {
	const most = 8 * max(MaxText, MaxQuote)
	return oneLine(strings.ToValidUTF8(clip(text, most), "\uFFFD"))
}

// ungrounded returns the first reason against a statement, "" if there is none.
func (x *Index) ungrounded(s *Statement) Reason {
	switch {
	case countWords(s.Text) == 0:
		return NoText
	case utf8.RuneCountInString(s.Text) > MaxText, utf8.RuneCountInString(s.Quote) > MaxQuote, len(s.Messages) > maxNamed:
		return TooLong
	case len(s.Messages) == 0:
		return NoMessage
	}
	at := make([]int, len(s.Messages))
	for i, number := range s.Messages {
		place, ok := x.place(number)
		if !ok {
			return OutOfRange
		}
		at[i] = place
	}
	if reason := x.evident(s.Quote); reason != "" {
		return reason
	}
	if !x.quoted(s.Messages, s.Quote) {
		return QuoteMissing
	}
	values := Values(s.Text)
	around := x.around(at)
	for i := range values {
		if v := &values[i]; !x.supports(v, around) {
			if x.alters(v, around) {
				return ValueAltered
			}
			return ValueMissing
		}
	}
	if turns, near := x.shares(s.Text, len(values), x.nearby(at)); turns < leastShare || near < leastNear {
		return WordsMissing
	}
	return ""
}

// evident returns why a folded quote is no evidence, "" if it is.
func (x *Index) evident(quote string) Reason {
	if quote == "" {
		return QuoteMissing
	}
	if countWords(quote) >= leastQuoteWords {
		telling := false
		eachWord(quote, func(w string, pair bool) { telling = telling || pair || x.words.rare(w) })
		if telling {
			return ""
		}
	}
	if len(Values(quote)) == 0 {
		return QuoteShort
	}
	return ""
}

// quoted reports whether one of the messages of these numbers holds a folded quote.
func (x *Index) quoted(numbers []int, quote string) bool {
	return slices.ContainsFunc(numbers, func(number int) bool {
		i, ok := x.place(number)
		return ok && strings.Contains(x.texts[i], quote)
	})
}
