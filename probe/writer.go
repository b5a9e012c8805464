package probe

import (
	"slices"
	"strings"

	"killick/probe/normal"
	"killick/transcript/speech"
)

// byPerson reports whether a user typed in a message.
func (x *Index) byPerson(i int) bool { return x.writers[i] == speech.Person }

// writerOf returns who wrote a one-line quote, by the messages with these numbers that contain it:
// "user", or "assistant and tool" if several did. What a client added to a user's message is the
// client's, and what the user only quotes is marked so. What a tool of the provider returned is the
// tool's, although it is in a message of the assistant.
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
	case t.outsideOf(i, text) >= 0:
		return string(speech.Tool)
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
		return strings.Contains(normal.Line(s), text)
	}
	return holds(strings.Join(speech.Queued(result), "\n")) &&
		!holds(speech.WithoutReminders(result))
}
