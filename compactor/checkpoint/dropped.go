package checkpoint

import (
	"slices"
	"strings"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/layout"
)

// addFolded adds what goes with a folded message.
func AddFolded(list []compaction.Dropped, m *chat.Message, tokens int) []compaction.Dropped {
	list = AddDropped(list, compaction.Dropped{Kind: "messages", Count: 1, Tokens: tokens})
	list = AddDropped(list, compaction.Dropped{Kind: "tool_calls", Count: len(m.ToolCalls())})
	for part := range m.Parts() {
		if part.Text == nil {
			list = AddDropped(list, compaction.Dropped{Kind: partKind(part.Type), Count: 1})
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

// shortened counts what stands in its short form in the tail of cp.
func TruncatedBeyond(v *layout.View, cp *Checkpoint) compaction.Dropped {
	d := compaction.Dropped{Kind: "shortened_outputs"}
	for i, s := range v.Truncated {
		if cp == nil || i >= cp.Fold {
			d.Count++
			d.Tokens += s.Original - s.Tokens
		}
	}
	return d
}

func AddDropped(list []compaction.Dropped, d compaction.Dropped) []compaction.Dropped {
	if d.Count == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if list[i].Kind == d.Kind {
			list[i].Count += d.Count
			list[i].Tokens += d.Tokens
			return list
		}
	}
	return append(list, d)
}
