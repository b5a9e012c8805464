package checkpoint

import (
	"slices"

	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// Mask hides one tool output behind a placeholder.
type Mask struct {
	Index  int    // of the message, after the leading instructions
	Text   string // the placeholder
	Tokens int    // of the message with the placeholder in it
	Saved  int    // tokens that the placeholder saves
}

// Masked returns m with text as its content. If the content is a list of parts, it becomes a list
// of one part: the last one, or the last with a cache mark, with the text in place of its own.
func Masked(m *view.Message, text string) []byte {
	quoted := rawjson.AppendQuoted(nil, text)
	if m.Content().Kind() != rawjson.Array {
		return m.WithContent(quoted)
	}
	parts := slices.Collect(m.Parts())
	kept := len(parts) - 1
	for i := kept; i >= 0; i-- {
		if marks.MayBeIn(parts[i].Raw) {
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
