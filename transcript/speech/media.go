package speech

import (
	"slices"
	"strings"

	"killick/view"
)

// A message of role tool may hold no images over chat completions. So clients send those that tools
// return in a user message after the results: below a fixed text, or alone (Cline 3.0.65, and
// programs of one's own).

// mediaTexts are these texts, of pi 1.5.2, opencode 1.18.34 and qwen-code 0.24.4.
var mediaTexts = []string{
	"Attached image(s) from tool result:",
	"Attached media from tool result:",
	"(attached media from previous tool call)",
}

// ofTools reports whether tools returned the images and files beside a text. before is the message
// before theirs, nil if there is none. Images without any text, sent before the model has seen the
// results, are taken to be the tools'.
func ofTools(text string, before *view.Message) bool {
	if text == "" {
		return before != nil && before.Role().Result()
	}
	return slices.ContainsFunc(mediaTexts, func(start string) bool {
		return strings.HasPrefix(text, start)
	})
}
