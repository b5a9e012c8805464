package prompt

import (
	"fmt"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// Place returns the text that tells a model, after a conversation, which of its messages are meant:
// all of them, or those from one message to another, which are identified by their first words.
// recorded means that there is a record of those before them. redact removes credentials.
func Place(msgs []view.Message, recorded bool, redact func(string) string) string {
	var b strings.Builder
	b.WriteString("[An instruction from the system that keeps the record of this conversation. " +
		"It is not a request of the user.]\n\n")
	if len(msgs) == 0 {
		b.WriteString("The turns are all the messages above.\n\n")
		return b.String()
	}
	b.WriteString("The turns are a part of the messages above:\n")
	first, last := ends(msgs, redact)
	fmt.Fprintf(&b, "from the first: %s\nto the last: %s\n", first, last)
	b.WriteString("The results of the last message's tool calls belong to it.\n")
	if recorded {
		b.WriteString("Earlier messages are already recorded. Write nothing about them.\n")
	}
	b.WriteString("\n")
	return b.String()
}

// ends identifies the first and the last of messages. Tool outputs are only used if there is
// nothing else: in the forwarded request they may have been masked.
func ends(msgs []view.Message, redact func(string) string) (first, last string) {
	for _, outputs := range []bool{false, true} {
		for i := 0; i < len(msgs) && first == ""; i++ {
			if msgs[i].Role().Result() == outputs {
				first = beginning(&msgs[i], redact)
			}
		}
		for i := len(msgs) - 1; i >= 0 && last == ""; i-- {
			if msgs[i].Role().Result() == outputs {
				last = beginning(&msgs[i], redact)
			}
		}
	}
	return first, last
}

// maxBeginning is the maximum length of the first words that identify a message.
const maxBeginning = 120

// beginning identifies a message by its role and its first words, "" if it has none.
func beginning(m *view.Message, redact func(string) string) string {
	text := m.Text()
	if text == "" {
		for _, call := range m.ToolCalls() {
			text = call.Name + " " + call.Text()
			break
		}
	}
	text = redact(text[:min(len(text), 128*maxBeginning)])
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return ""
	}
	return roleName(m.Role()) + " " + string(rawjson.AppendQuoted(nil, cut(text, maxBeginning)))
}
