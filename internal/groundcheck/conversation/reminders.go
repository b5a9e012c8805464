package conversation

import (
	"regexp"
	"strings"
)

var midTurn = regexp.MustCompile(`(?s)^The user sent a new message while you were working:\n(.*?)` +
	`(?:\n\n(?:This is how Claude Code surfaces messages|IMPORTANT:)[^\n]*\n*)?$`)

// WithoutReminders returns a result without the reminders that a client appended, and without space
// around it.
func WithoutReminders(text string) string {
	rest, _, ok := lastReminder(text)
	for ok {
		rest, _, ok = lastReminder(rest)
	}
	return rest
}

// lastReminder cuts the reminder at the end of a result. rest has no space around it.
func lastReminder(text string) (rest, body string, ok bool) {
	rest = strings.TrimSpace(text)
	at := strings.LastIndex("\n"+rest, "\n<system-reminder>\n")
	if at < 0 || !strings.HasSuffix(rest, "</system-reminder>") {
		return rest, "", false
	}
	body = strings.TrimSuffix(rest[at+len("<system-reminder>\n"):], "</system-reminder>")
	return strings.TrimSpace(rest[:at]), body, true
}

// Relayed returns the words of persons after a tool's result, the last first.
func (m *Message) Relayed() (words []string) {
	if m.Role != "tool" {
		return nil
	}
	rest, body, ok := lastReminder(m.Text())
	for ; ok; rest, body, ok = lastReminder(rest) {
		if found := midTurn.FindStringSubmatch(body); found != nil {
			words = append(words, strings.TrimSpace(found[1]))
		}
	}
	return words
}
