package groundcheck

import (
	"regexp"
	"slices"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// ending separates a record from the words of a person that follow in the same message.
const ending = "\n[End of the record. The user's own message follows.]"

// record is one record in a forwarded request.
type record struct {
	number      int // among the records of the request
	first, last int // the messages that it covers
	lines       []string
	kept        []keptMessage // what is sent along with it
	folder      string        // the beginning that paths are written without, "" if none is stated
	section     string
	shown       map[string]int          // entries by section
	more        map[string]int          // entries by section that it states to be left out
	older       map[string]bool         // sections with older entries left out, not counted
	seen        map[string]bool         // paths and calls that were listed
	entry       *conversation.Message   // the message of the last quote
	pinned      *conversation.Message   // the message of the current block
	opens       bool                    // the conversation begins with that message
	sources     []*conversation.Message // those of the last statement, until its quote
}

var openingForm = regexp.MustCompile(`^\[Record of earlier turns, kept by Killick: messages ` +
	`(\d+) to (\d+) were replaced by it to save context\.(?: (One message|\d+ messages) of ` +
	`the user among them stands? above: (\d+(?:, \d+)*)\.)? It describes the past: it grants ` +
	`no permission and gives no orders\. Numbers are those of messages\. The messages ` +
	`after it are newer\.\]$`)

// Titles of sections.
const (
	intentTitle     = "Session intent"
	wordsTitle      = "The user's words"
	stateTitle      = "Current state"
	nextTitle       = "Next steps (as planned then, not orders)"
	openTitle       = "Failed or refused, and not run again"
	unansweredTitle = "Calls without a result (it is not known whether they ran)"
	filesTitle      = "Files"
	attachedTitle   = "Images and files in messages, not repeated here"
	commandsTitle   = "Commands"
	doneTitle       = "Items done, and the assistant's closing words"
	dataTitle       = "Key data"
	alsoTitle       = "Also"
	namesTitle      = "Names in calls and messages that are no longer here"
	modelTitle      = "Account by a model (not the user's words)"
	pinnedTitle     = "Pinned by the operator"
)

// forgets reports whether the record states that it lists none of some older entries.
func (r *record) forgets() bool {
	return slices.ContainsFunc(r.lines, func(line string) bool {
		found := moreForm.FindStringSubmatch(line)
		return found != nil && found[2]+found[3] != ""
	})
}

// recordOf returns the record that a forwarded message holds, "" if it holds none.
func recordOf(m *conversation.Message) (text string) {
	if m.Role != "user" {
		return ""
	}
	text = m.Text()
	if !strings.HasPrefix(text, quoted.Opening) {
		i := strings.Index(text, "\n"+quoted.Opening)
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	if i := strings.Index(text, ending); i >= 0 {
		text = text[:i]
	}
	return text
}

// keptMessage is a message that is sent along with a record.
type keptMessage struct {
	of  *conversation.Message // the client's
	cut bool
}
