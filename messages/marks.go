package messages

import (
	"slices"

	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// Marks say where the prompt cache is written and read. Source:
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching. A request may have four;
// those of an hour must precede those of five minutes; and a mark finds what was written at most
// about 20 blocks before it.
const (
	maxMarks = 4
	maxGap   = 15 // blocks
	markName = "cache_control"
)

// Mark implements [view.Format].
func (format) Mark(r *view.Request, pieces []view.Piece) []view.Piece {
	marking := marks.Marking{
		Most: maxMarks, MaxGap: maxGap,
		Used: marks.Count(markName, r.Field("tools"), r.Field("system")),
		Read: readMarks, Blocks: countBlocks, With: withMark,
	}
	if automatic := r.Field(markName); automatic.Kind() == rawjson.Object {
		marking.Automatic = automatic
		marking.Used++
	}
	return marking.Place(r, pieces)
}

// readMarks returns the first and the last mark of a message and the number of its marks. A mark
// within a block precedes the mark of the block.
func readMarks(m *view.Message) (first, last rawjson.Value, n int) {
	count := func(block rawjson.Value) {
		if mark := block.Get(markName); mark.Kind() == rawjson.Object {
			if n == 0 {
				first = mark
			}
			last = mark
			n++
		}
	}
	for block := range blocks(m) {
		for inner := range block.Get("content").Elements() {
			count(inner)
		}
		count(block)
	}
	if m.Role() == view.Tool {
		count(m.Raw)
	}
	return first, last, n
}

// countBlocks returns the number of blocks of a message that is not a result.
func countBlocks(m *view.Message) (n int) {
	for range blocks(m) {
		n++
	}
	return n
}

// withMark returns a user message or a result with a mark on its last block, nil if that block
// cannot have one. Results for programs that the API runs cannot, since the model does not see them
// (langchain-ai/langchain#34579).
func withMark(m, caller *view.Message, mark rawjson.Value) []byte {
	set := map[string]rawjson.Value{markName: mark}
	switch {
	case m.Is(view.Fixed | view.Unknown):
		return nil
	case m.Role() == view.Tool:
		if slices.ContainsFunc(caller.ToolCalls(), func(c view.ToolCall) bool {
			return c.ByProgram && c.ID == m.ToolCallID()
		}) {
			return nil
		}
		return rawjson.WithMembers(m.Raw, set)
	case m.Role() != view.User:
		return nil
	}
	if text := m.Content(); text.Kind() == rawjson.String && len(text) > len(`""`) {
		block := append(append([]byte(`{"type":"text","text":`), text...), '}')
		block = rawjson.WithMembers(block, set)
		return m.WithContent(append(append([]byte{'['}, block...), ']'))
	}
	var at rawjson.Span
	for block := range spans(m) {
		at = block
	}
	last := at.Of(m.Raw)
	if last == nil || last.Get("type").Is(typeText) && len(last.Get("text")) <= len(`""`) {
		return nil
	}
	return rawjson.Replace(m.Raw, at, rawjson.WithMembers(last, set))
}
