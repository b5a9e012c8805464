package aschat

import (
	"killick/chat"
	"killick/messages"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// FormatOf returns the format that the body of a request is in, nil if it holds no conversation.
// Requests of chat and of the Messages API look alike until one has a form that the other lacks;
// what both have is chat.
func FormatOf(body rawjson.Value) view.Format {
	switch {
	case body.Kind() != rawjson.Object:
		return nil
	case body.Get("messages").Kind() == rawjson.Array:
		if body.Get("system") != nil || anyHas(body.Get("tools"), "input_schema") ||
			HoldsBlocks(body.Get("messages")) {
			return messages.Format
		}
		return chat.Format
	case body.Get("input").Kind() == rawjson.Array, isText(body):
		return responses.Format
	}
	return nil
}

// isText reports whether a body is one of Responses with a text in place of the list of items. Some
// items have an input too, and a type.
func isText(body rawjson.Value) bool {
	return body.Get("input").Kind() == rawjson.String && body.Get("type") == nil
}

// HoldsBlocks reports whether an array of messages is one of the Messages API: calls and results
// are blocks of content there.
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

// HoldsItems reports whether an array of messages is the input of the Responses API: calls and
// results are items of a type there, and have no role.
func HoldsItems(array rawjson.Value) bool {
	for item := range array.Elements() {
		if item.Kind() == rawjson.Object && item.Get("role") == nil &&
			item.Get("type").Kind() == rawjson.String {
			return true
		}
	}
	return false
}

// anyHas reports whether an element of a list has a member.
func anyHas(list rawjson.Value, member string) bool {
	for element := range list.Elements() {
		if element.Get(member) != nil {
			return true
		}
	}
	return false
}
