package groundcheck

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	midTurn = regexp.MustCompile(`(?s)^The user sent a new message while you were working:\n(.*?)` +
		`(?:\n\n(?:This is how Claude Code surfaces messages|IMPORTANT:)[^\n]*\n*)?$`)
	relayedForm = regexp.MustCompile(`^(\d+) in a tool's result, as the user's: (.*)$`)
)

// withoutReminders returns a result without the reminders that a client appended, and without space
// around it.
func withoutReminders(text string) string {
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

// relayed returns the words of persons behind a tool's result, the last first.
func (m *message) relayed() (words []string) {
	if m.role != "tool" {
		return nil
	}
	rest, body, ok := lastReminder(m.text())
	for ; ok; rest, body, ok = lastReminder(rest) {
		if found := midTurn.FindStringSubmatch(body); found != nil {
			words = append(words, strings.TrimSpace(found[1]))
		}
	}
	return words
}

// relayedQuote checks words that a tool's result relays.
func (c *checker) relayedQuote(text string) bool {
	found := relayedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindQuote)
	c.rec.entry = nil
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil {
		c.fault(RulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return true
	}
	for _, words := range m.relayed() {
		if quotes(found[2], fold(words)) {
			return true
		}
	}
	c.fault(RuleQuote, "message %d relays something else: %s", number, excerpt(found[2]))
	return true
}
