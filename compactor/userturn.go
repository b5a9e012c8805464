package compactor

import (
	"strings"

	"killick/chat"
)

// clientMarks begin the user messages that a client writes by itself: commands
// of its own, their output, reminders, notes of an interruption. They are
// records, not requests of a person.
var clientMarks = []string{
	"<command-", "<local-command", "<system-reminder", "<bash-", "<user-prompt-submit-hook",
	"<environment_context", "<user_instructions", "<environment_details",
	"[Request interrupted", "Caveat: The messages below were generated",
	"This session is being continued from a previous conversation", "Base directory for this skill:",
}

// isRequest tells whether a message is a real request: one that a person made,
// not a client-made record such as <command-message>… or a bare slash command.
func isRequest(m *chat.Message) bool {
	if m.Role() != chat.User {
		return false
	}
	text := strings.TrimSpace(m.Text())
	if text == "" {
		return !m.OnlyText() // an image alone
	}
	if isRecord(text) {
		return false
	}
	if _, rest, ok := strings.Cut(text, "<command-args>"); ok {
		words, _, _ := strings.Cut(rest, "</command-args>")
		return strings.TrimSpace(words) != "" // what a person wrote behind a command
	}
	for _, mark := range clientMarks {
		if strings.HasPrefix(text, mark) {
			return false
		}
	}
	return !isSlashCommand(text)
}

// isPlain tells a user's text that looks like nothing but a person's words. It
// is wider than isRequest where a client writes plainly, and narrower where a
// person's words stand in a command.
func isPlain(m *chat.Message) bool {
	text := strings.TrimSpace(m.Text())
	return text != "" && !mayBeCommand(text) && text[0] != '[' && !strings.HasPrefix(text, "Caveat:") &&
		!strings.HasPrefix(text, "This session is being continued")
}

func mayBeCommand(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "<")
}

// isSlashCommand tells a command to the client, such as "/mode" or "/model
// gpt-5", from a request that happens to begin with a path.
func isSlashCommand(text string) bool {
	if text[0] != '/' || strings.ContainsAny(text, "\n") {
		return false
	}
	name, _, _ := strings.Cut(text[1:], " ")
	return name != "" && len(text) < 100 && !strings.ContainsAny(name, "/.")
}
