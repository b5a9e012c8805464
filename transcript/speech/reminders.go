package speech

import (
	"slices"
	"strings"
)

// queuedWords begins the reminder in which Claude Code (2.1.332) sends what a person typed while
// the assistant was working; one of queuedEnds follows the words.
const queuedWords = "The user sent a new message while you were working:\n"

var queuedEnds = []string{"\n\nThis is how Claude Code surfaces messages the user sends mid-turn",
	"\n\nIMPORTANT:"} // the second until 2.1.330

// queued returns the words in the body of such a reminder. They may have paragraphs that begin like
// an end.
func queued(body string) (words string, ok bool) {
	words, ok = strings.CutPrefix(body, queuedWords)
	for _, end := range queuedEnds {
		if i := strings.LastIndex(words, end); ok && i >= 0 {
			return words[:i], true
		}
	}
	return words, ok
}

// ReminderTag is the tag of a reminder that Claude Code appends to the result of a call.
const ReminderTag = "system-reminder"

const (
	reminderStart = "<" + ReminderTag + ">\n"
	reminderEnd   = "</" + ReminderTag + ">"
)

// Queued returns what a person typed while the assistant was working, if Claude Code (2.1.332)
// appended it to this result of a call, in order. A program may print the same.
func Queued(result string) (words []string) {
	for {
		rest, body, ok := cutReminder(result)
		if !ok {
			slices.Reverse(words)
			return words
		}
		if said, is := queued(body); is && strings.TrimSpace(said) != "" {
			words = append(words, strings.TrimSpace(said))
		}
		result = rest
	}
}

// cutReminder returns a result without the reminder at its end, and the text of that.
func cutReminder(result string) (rest, body string, ok bool) {
	result = strings.TrimRight(result, " \r\n")
	if !strings.HasSuffix(result, reminderEnd) { // most results, which are not searched then
		return result, "", false
	}
	at := strings.LastIndex(result, reminderStart)
	if at < 0 || at > 0 && result[at-1] != '\n' {
		return result, "", false
	}
	return result[:at], strings.TrimSuffix(result[at+len(reminderStart):], reminderEnd), true
}

// WithoutReminders returns a result without the reminders that Claude Code appended to it.
func WithoutReminders(result string) string {
	rest, _, ok := cutReminder(result)
	for ok {
		result = strings.TrimRight(rest, " \r\n")
		rest, _, ok = cutReminder(result)
	}
	return result
}
