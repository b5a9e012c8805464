package checkpoint

import (
	"slices"

	"killick/chat"
)

// Mask hides one tool output behind a placeholder.
type Mask struct {
	Index  int    // of the message, behind the leading instructions
	Text   string // the placeholder
	Tokens int    // of the message with the placeholder in it
	Saved  int
}

// Masked returns m with text for its content. A content of parts stays one: its last
// part, or the last with a cache_control, keeps what else it carries.
func Masked(m *chat.Message, text string) []byte {
	quoted := chat.AppendQuoted(nil, text)
	if m.Content().Kind() != chat.Array {
		return m.WithContent(quoted)
	}
	parts := slices.Collect(m.Parts())
	kept := len(parts) - 1
	for i := kept; i >= 0 && kept > 0; i-- {
		if parts[i].Raw.Get("cache_control") != nil {
			kept = i
			break
		}
	}
	if kept < 0 || parts[kept].Text == nil {
		return m.WithContent(quoted)
	}
	content := append([]byte{'['}, parts[kept].WithText(quoted)...)
	return m.WithContent(append(content, ']'))
}
