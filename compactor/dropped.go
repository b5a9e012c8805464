package compactor

import (
	"strings"

	"killick/chat"
	"killick/compaction"
)

// addFolded adds what goes with a folded message.
func addFolded(list []compaction.Dropped, m *chat.Message, tokens int) []compaction.Dropped {
	list = addDropped(list, compaction.Dropped{Kind: "messages", Count: 1, Tokens: tokens})
	list = addDropped(list, compaction.Dropped{Kind: "tool_calls", Count: len(m.ToolCalls())})
	for part := range m.Parts() {
		if part.Text == nil {
			list = addDropped(list, compaction.Dropped{Kind: partKind(part.Type), Count: 1})
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
