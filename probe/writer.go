package probe

import (
	"slices"
	"strings"
	"unicode/utf8"

	"killick/transcript/speech"
)

// byPerson reports whether a user typed in a message.
func (x *Index) byPerson(i int) bool { return x.writers[i] == speech.Person }

// writerOf returns who wrote a one-line quote, by the messages with these numbers that contain it:
// "user", or "assistant and tool" if several did. What a client added to a user's message is the
// client's, and what the user only quotes is marked so.
func (x *Index) writerOf(numbers []int, quote string) string {
	var all []string
	for _, number := range numbers {
		i, ok := x.indexOf(number)
		if !ok || !strings.Contains(x.texts[i], quote) {
			continue
		}
		if by := x.writerIn(i, quote); !slices.Contains(all, by) {
			all = append(all, by)
		}
	}
	return strings.Join(all, " and ")
}

// writerIn returns who wrote a one-line text in a message that contains it.
func (t *turns) writerIn(i int, text string) string {
	switch typed, ok := t.typed[i]; {
	case ok && !strings.Contains(typed.words, text):
		return string(speech.Client)
	case ok && !strings.Contains(typed.plain, text):
		return quotingUser
	case !ok && t.relayed(i, text):
		return string(speech.Relayed)
	}
	return string(t.writers[i])
}

// quotingUser is the writer of words that stand in code or a quotation of a user's message. They
// may be anybody's.
const quotingUser = "user, in code or a quotation"

// relayed reports whether a one-line text is only in what a person typed while a call ran, which
// the client appended to the result.
func (t *turns) relayed(i int, text string) bool {
	if !t.read.HasQueued(i) {
		return false
	}
	result := t.read.Text(i)
	holds := func(s string) bool {
		return strings.Contains(oneLine(strings.ToValidUTF8(s, "\uFFFD")), text)
	}
	return holds(strings.Join(speech.Queued(result), "\n")) &&
		!holds(speech.WithoutReminders(result))
}

// maxBeside is how many characters of a message are shown on either side of a quote.
const maxBeside = 200

// Passages sets the passages of statements: their quotes with what stands beside them in their
// messages, since words around a quote can reverse what it says. redact removes credentials from
// a message before it is cut; the passage of a quote that is not in what is left is the quote.
func (x *Index) Passages(statements []Statement, redact func(text string) string) {
	clean := map[int]string{}
	for n := range statements {
		s := &statements[n]
		s.Passage = s.Quote
		for _, number := range s.Messages {
			i, ok := x.indexOf(number)
			if !ok || !strings.Contains(x.texts[i], s.Quote) {
				continue
			}
			if _, known := clean[i]; !known {
				clean[i] = oneLine(redact(x.raw[i]))
			}
			if p := passage(clean[i], s.Quote); p != "" {
				s.Passage = p
			}
			break // a passage of another message would be of another time
		}
	}
}

// passage returns a one-line quote with what stands beside it in a one-line text, cut between
// words and marked where it is cut; "" if the text does not contain the quote.
func passage(text, quote string) string {
	before, _, found := strings.Cut(text, quote)
	if !found || quote == "" {
		return ""
	}
	return around(text, len(before), len(before)+len(quote), maxBeside)
}

// startOfLast returns where the last words of text begin that have at most n characters.
func startOfLast(text string, n int) int {
	start := len(text)
	for ; start > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 {
		return 0
	}
	if space := strings.IndexByte(text[start:], ' '); space >= 0 {
		return start + space
	}
	return start
}

// endOfFirst returns where the first words of text end that have at most n characters.
func endOfFirst(text string, n int) int {
	end := 0
	for ; end < len(text) && n > 0; n-- {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end == len(text) {
		return end
	}
	if space := strings.LastIndexByte(text[:end], ' '); space >= 0 {
		return space
	}
	return end
}
