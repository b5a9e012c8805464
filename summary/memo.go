package summary

import (
	"strings"
	"unicode"

	"killick/reference"
	"killick/summary/excerpt"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// Memo caches what summaries of one conversation read of its messages, so that each message is read
// once. All of them must redact alike. It is not safe for concurrent use.
type Memo struct {
	safe   map[int]string    // results of safeWords and SafeOutput
	words  map[int]UserQuote // results of userQuote
	terse  map[int]bool
	quotes map[quoteKey]string
	paths  map[int][]string
	// references are those in messages that PathsIn has read and namesIn has not.
	references map[int][]reference.Found
	names      newNames // of the turns that were read last
}

// quoteKey identifies a quote by its message and its maximum length in bytes.
type quoteKey struct{ message, most int }

// NewMemo returns an empty Memo.
func NewMemo() *Memo {
	return &Memo{
		safe: map[int]string{}, words: map[int]UserQuote{}, terse: map[int]bool{},
		quotes: map[quoteKey]string{}, paths: map[int][]string{},
		references: map[int][]reference.Found{},
	}
}

func (s *Source) memo() *Memo {
	if s.Memo == nil {
		s.Memo = NewMemo()
	}
	return s.Memo
}

// cached returns the value of a key in a map, which find computes the first time.
func cached[K comparable, V any](of map[K]V, key K, find func() V) V {
	value, ok := of[key]
	if !ok {
		value = find()
		of[key] = value
	}
	return value
}

// safeWords returns what a person or the assistant wrote in message i, without credentials.
func (s *Source) safeWords(i int) string {
	return cached(s.memo().safe, i, func() string { return s.Redacted(s.words(i)) })
}

func (s *Source) words(i int) string {
	if s.Messages[i].Role() == view.User {
		return s.Message(i).Words()
	}
	return s.Text(i)
}

// SafeOutput returns the output of a call, without credentials and without the frame that agents
// put around it.
func (s *Source) SafeOutput(c *transcript.Call) string {
	find := func() string { return s.Redacted(s.Output(c, s.Text(c.Result))) }
	if !c.PrintedAll() {
		return find()
	}
	return cached(s.memo().safe, c.Result, find)
}

// quote returns a quote of the assistant's message i of at most n bytes.
func (s *Source) quote(i int, n int) Quote {
	text := cached(s.memo().quotes, quoteKey{i, n}, func() string {
		return excerpt.Quote(s.safeWords(i), n)
	})
	return Quote{At: i + 1, By: speech.Assistant, Name: s.participant(i), Text: text}
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

// isTerse reports whether message i is terse: see [speech.Message.Terse].
func (s *Source) isTerse(i int) bool {
	return cached(s.memo().terse, i, s.Message(i).Terse)
}

// userQuote returns a quote of a person's message i, and what it answers if it is terse.
func (s *Source) userQuote(i int) UserQuote {
	return cached(s.memo().words, i, func() UserQuote {
		quote := UserQuote{Quote: Quote{At: i + 1, By: speech.Person, Name: s.participant(i),
			Text: s.wordsOf(i)}}
		if !s.isTerse(i) {
			return quote
		}
		if of := s.answered(i); of >= 0 {
			quote.Answers = &Quote{At: of + 1, By: speech.Assistant, Name: s.participant(of),
				Text: excerpt.Question(s.safeWords(of), s.safeWords(i), maxQuote)}
		}
		return quote
	})
}

// wordsOf returns a quote of what a person wrote in message i. A mark stands in place of documents
// among the words: without it, they would seem to be about nothing.
func (s *Source) wordsOf(i int) string {
	passages := s.Message(i).Passages()
	if words := s.safeWords(i); len(passages) < 2 || words == "" {
		return excerpt.Quote(words, maxQuote)
	}
	for n, words := range passages {
		passages[n] = excerpt.Quote(s.Redacted(words), maxQuote)
	}
	return excerpt.Cut(strings.TrimSpace(strings.Join(passages, excerpt.Gap)), maxQuote)
}

// namesIn calls yield with the references in what a person or the assistant wrote in message i,
// without credentials. It is called once for a message.
func (s *Source) namesIn(i int, yield func(word string, kind reference.Kind)) {
	found, ok := s.memo().references[i]
	if !ok {
		reference.Each(s.safeWords(i), yield)
		return
	}
	delete(s.memo().references, i)
	for _, f := range found {
		yield(f.Word, f.Kind)
	}
}

// PathsIn returns the paths that a person or the assistant names in message i, in words and calls.
func (s *Source) PathsIn(i int) []string {
	return cached(s.memo().paths, i, func() (paths []string) {
		note := func(word string, kind reference.Kind) {
			if kind == reference.Path {
				paths = append(paths, word)
			}
		}
		if text := s.words(i); s.safeWords(i) == text {
			found := []reference.Found{}
			reference.Each(text, func(word string, kind reference.Kind) {
				found = append(found, reference.Found{Word: word, Kind: kind})
				note(word, kind)
			})
			s.memo().references[i] = found
		} else {
			reference.Each(text, note)
		}
		for _, made := range s.Messages[i].ToolCalls() {
			reference.Each(made.Text(), note)
		}
		return paths
	})
}
