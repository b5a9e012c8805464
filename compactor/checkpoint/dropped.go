package checkpoint

import (
	"slices"
	"strings"

	"killick/compaction"
	"killick/compactor/layout"
	"killick/view"
)

// AddFolded adds a folded message to a list of what is no longer sent.
func AddFolded(
	list []compaction.Dropped, m *view.Message, tokens int,
) []compaction.Dropped {
	list = AddDropped(list, compaction.Dropped{Kind: "messages", Count: 1, Tokens: tokens})
	calls := len(m.ToolCalls())
	list = AddDropped(list, compaction.Dropped{Kind: "tool_calls", Count: calls})
	for part := range m.Parts() {
		if part.Text == nil {
			list = AddDropped(list, compaction.Dropped{Kind: partKind(part.Type), Count: 1})
		}
	}
	return list
}

// partKind returns the kind under which a part of a type is counted.
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

// TruncatedBeyond counts the truncated outputs in the tail of cp, or all of them if cp is nil.
func TruncatedBeyond(v *layout.View, cp *Checkpoint) compaction.Dropped {
	d := compaction.Dropped{Kind: "truncated_outputs"}
	for i, s := range v.Truncated {
		if (cp == nil || i >= cp.Fold) && !v.WasStub(i) {
			d.Count++
			d.Tokens += s.Original - s.Tokens
		}
	}
	return d
}

// AddDropped returns the list with d added to the entry of its kind.
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
