package compactor

import (
	"strings"

	"killick/chat"
)

// Dropped is something that is no longer sent as it came. A kind is one of
// messages and tool_calls (folded; the calls' tokens are among the messages'),
// images, audio, files and parts (of folded messages, likewise), tool_outputs
// (masked), shortened_outputs (at the door).
type Dropped struct {
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	Tokens int    `json:"tokens,omitempty"` // less than before; 0: counted under another kind
}

// addFolded adds what goes with a folded message.
func addFolded(list []Dropped, m *chat.Message, tokens int) []Dropped {
	list = addDropped(list, Dropped{Kind: "messages", Count: 1, Tokens: tokens})
	list = addDropped(list, Dropped{Kind: "tool_calls", Count: len(m.ToolCalls())})
	for part := range m.Parts() {
		if part.Text == nil {
			list = addDropped(list, Dropped{Kind: partKind(part.Type), Count: 1})
		}
	}
	return list
}

func partKind(part string) string {
	switch {
	case strings.Contains(part, "image"):
		return "images"
	case strings.Contains(part, "audio"):
		return "audio"
	case strings.Contains(part, "file"):
		return "files"
	}
	return "parts"
}
