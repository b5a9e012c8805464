package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Statement is one thing that a model says of a conversation, with the words of the
// conversation that it rests on.
type Statement struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Messages []int  `json:"messages"` // numbers of the messages, from 1, leading instructions apart
	Quote    string `json:"quote"`    // verbatim from one of them
}

// Drop is a statement that is not used.
type Drop struct {
	Statement Statement `json:"statement"`
	Reason    Reason    `json:"reason"`
}

// Reason says why a statement or a question is not used.
type Reason string

// The reasons.
const (
	NoText       Reason = "says nothing"
	TooLong      Reason = "too long"
	TooMany      Reason = "more than are read"
	Repeated     Reason = "repeats another"
	NoMessage    Reason = "names no message"
	OutOfRange   Reason = "names a message that is not there"
	QuoteShort   Reason = "quote too short"
	QuoteMissing Reason = "quote not found"
	ValueAltered Reason = "value altered"
	ValueMissing Reason = "value not found"
	WordsMissing Reason = "words not found"
	Contradicted Reason = "contradicted"      // by the model that verifies
	NotEnough    Reason = "not enough"        // says the model that verifies
	AnswerAbsent Reason = "answer not found"  // of a question
	AnswerGiven  Reason = "gives its answer"  // of a question
	NoAnswer     Reason = "expects no answer" // of a question
	NoCategory   Reason = "of no category"    // of a question
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

// Locate fills in the messages of statements that name none, or none that holds the
// quote, from the quote itself: the first message that holds it and all values of
// the statement, else the first that holds it. A statement whose quote is nowhere
// stays as it is, for Ground to drop.
//
// A model that was asked behind the conversation itself sees no numbers: for it the
// quote is the anchor.
func (x *Index) Locate(statements []Statement) []Statement {
	located := slices.Clone(statements)
	for n := range located[:min(len(located), MaxStatements)] {
		s := &located[n]
		quote := oneLine(s.Quote)
		if x.evident(quote) != "" || x.quoted(s.Messages, quote) {
			continue
		}
		at := x.holding(quote)
		if len(at) == 0 {
			continue
		}
		best := at[0]
		values := Values(oneLine(s.Text))
		for _, i := range at {
			if around := x.around([]int{i}); !slices.ContainsFunc(values, func(v Value) bool { return !x.supports(&v, around) }) {
				best = i
				break
			}
		}
		s.Messages = []int{best + x.first}
	}
	return located
}

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

// Weights of what is looked for, in letters: long words are rarer than short ones in
// every language, an ideograph says as much as a few letters do.
const (
	ideographWeight = 3
	valueWeight     = 10
)

// shares returns what share of the rarer words of text, by their weight, stands in
// the turns, and what share stands in the messages around those named. An ideograph
// stands in the turns with the one beside it, or alone in those messages. Each of the
// values, which all stand, weighs as a word. Where all words are short, all count.
func (x *Index) shares(text string, values int, around []int) (turns, near float64) {
	var rare, all held
	chars := map[rune]bool{} // ideographs, and whether they stand in the turns
	eachWord(text, func(w string, pair bool) {
		if pair {
			known := x.words.holds(w, pair)
			for _, r := range w {
				if ideograph(r) || unicode.Is(unicode.Hangul, r) {
					chars[r] = chars[r] || known
				}
			}
			return
		}
		weight := utf8.RuneCountInString(w)
		inTurns := x.words.holds(w, false)
		inNear := inTurns && slices.ContainsFunc(around, func(i int) bool { return x.lexicon(i).holds(w, false) })
		all.count(weight, inTurns, inNear)
		if x.words.rare(w) {
			rare.count(weight, inTurns, inNear)
		}
	})
	for r, known := range chars {
		inNear := slices.ContainsFunc(around, func(i int) bool { return strings.ContainsRune(x.texts[i], r) })
		all.count(ideographWeight, known || inNear, inNear)
		rare.count(ideographWeight, known || inNear, inNear)
	}
	if rare.of == 0 {
		rare = all
	}
	rare.count(values*valueWeight, true, true)
	if rare.of == 0 {
		return 1, 1
	}
	return float64(rare.turns) / float64(rare.of), float64(rare.near) / float64(rare.of)
}

// held is the weight of words, of those that stand in the turns, and of those that
// stand in the messages around those named.
type held struct{ of, turns, near int }

func (h *held) count(weight int, turns, near bool) {
	h.of += weight
	if turns {
		h.turns += weight
	}
	if near {
		h.near += weight
	}
}

// Support is what a model that verifies says of a statement.
type Support string

// The answers of a model that verifies.
const (
	Supported    Support = "supported"
	Opposed      Support = "contradicted"
	Insufficient Support = "not enough"
)

// Verified returns the statements that a model supports. A statement without an
// answer is not supported.
func Verified(statements []Statement, answers []Support) (kept []Statement, dropped []Drop) {
	for i, s := range statements {
		answer := Insufficient
		if i < len(answers) {
			answer = answers[i]
		}
		switch answer {
		case Supported:
			kept = append(kept, s)
		case Opposed:
			dropped = append(dropped, Drop{s, Contradicted})
		default:
			dropped = append(dropped, Drop{s, NotEnough})
		}
	}
	return kept, dropped
}
