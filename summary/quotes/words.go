package quotes

import (
	"strings"
	"unicode"

	"killick/summary/excerpt"
	"killick/transcript/speech"
	"killick/view"
)

// Quote returns a quote of the assistant's message i of at most n bytes.
func (s *Source) Quote(i int, n int) Quote {
	text := cached(s.memo().quotes, quoteKey{i, n}, func() string {
		return excerpt.Quote(s.safeWords(i), n)
	})
	return Quote{At: i + 1, By: speech.Assistant, Name: s.participant(i), Text: text}
}

// IsTerse reports whether message i is terse: see [speech.Message.Terse].
func (s *Source) IsTerse(i int) bool {
	return cached(s.memo().terse, i, s.Message(i).Terse)
}

// UserQuote returns a quote of a person's message i, and what it answers if it is terse.
func (s *Source) UserQuote(i int) UserQuote {
	return cached(s.memo().words, i, func() UserQuote {
		quote := UserQuote{Quote: Quote{At: i + 1, By: speech.Person, Name: s.participant(i),
			Text: s.wordsOf(i)}}
		if !s.IsTerse(i) {
			return quote
		}
		if of := s.answered(i); of >= 0 {
			quote.Answers = &Quote{At: of + 1, By: speech.Assistant, Name: s.participant(of),
				Text: excerpt.Question(s.safeWords(of), s.safeWords(i), MaxQuote)}
		}
		return quote
	})
}

// answered returns the assistant message that the person's message i answers, -1 if it answers
// none.
func (s *Source) answered(i int) int {
	for j := i - 1; j >= 0; j-- {
		if s.Messages[j].Role() == view.User && s.Message(j).Speaker == speech.Person {
			return -1
		}
		if s.LastWords(j, j+1) == j {
			return j
		}
	}
	return -1
}

// wordsOf returns a quote of what a person wrote in message i. A mark stands in place of documents
// among the words: without it, they would seem to be about nothing.
func (s *Source) wordsOf(i int) string {
	passages := s.Message(i).Passages()
	if words := s.safeWords(i); len(passages) < 2 || words == "" {
		return excerpt.Quote(words, MaxQuote)
	}
	for n, words := range passages {
		passages[n] = excerpt.Quote(s.Redacted(words), MaxQuote)
	}
	return excerpt.Cut(strings.TrimSpace(strings.Join(passages, excerpt.Gap)), MaxQuote)
}

// maxName is the longest name of a participant, in bytes: that of OpenAI's API.
const maxName = 64

// participant returns the name that message i gives its writer.
func (s *Source) participant(i int) string { return Participant(&s.Messages[i], s.Redacted) }

// Participant returns the name that a message gives its writer, as the API tells several apart. It
// is "" if there is none, or one that a reader could not tell from what stands beside it.
func Participant(m *view.Message, redact func(text string) string) string {
	name := m.Name()
	plain := !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
	if name == "" || len(name) > maxName || !plain || redact(name) != name {
		return ""
	}
	return name
}
