package messages

import "killick/rawjson"

// HoldsBlocks reports whether an array of messages is in the format of the Messages API, in which
// calls and results are blocks of content.
func HoldsBlocks(array rawjson.Value) bool {
	for message := range array.Elements() {
		content := message.Get("content")
		if content.Kind() != rawjson.Array {
			continue
		}
		for block := range content.Elements() {
			switch block.Get("type").Text() {
			case "tool_use", "tool_result", "thinking", "redacted_thinking":
				return true
			}
		}
	}
	return false
}
