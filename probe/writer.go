package probe

import (
	"slices"
	"strings"

	"killick/transcript/speech"
)

// byPerson reports whether a user typed in a message.
func (x *Index) byPerson(i int) bool { return x.writers[i] == speech.Person }

// writerOf returns who wrote a one-line quote, by the messages with these numbers that contain it:
// "user", or "assistant and tool" if several did. What a client added to a user's message is the
// client's.
func (x *Index) writerOf(numbers []int, quote string) string {
	var all []string
	for _, number := range numbers {
		i, ok := x.indexOf(number)
		if !ok || !strings.Contains(x.texts[i], quote) {
			continue
		}
		by := x.writers[i]
		if x.byPerson(i) && !strings.Contains(x.typed[i], quote) {
			by = speech.Client
		}
		if !slices.Contains(all, string(by)) {
			all = append(all, string(by))
		}
	}
	return strings.Join(all, " and ")
}
