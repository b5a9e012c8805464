package aschat

import (
	"killick/chat"
	"killick/converse"
	"killick/gemini"
	"killick/messages"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// FormatOf returns the format of a request's body, nil if it has no conversation. A request that
// is valid both as chat and for the Messages API is chat.
func FormatOf(body rawjson.Value) view.Format {
	switch {
	case body.Kind() != rawjson.Object:
		return nil
	case body.Get("messages").Kind() == rawjson.Array:
		if converse.HoldsBlocks(body) {
			return converse.Format
		}
		if body.Get("system") != nil || anyHas(body.Get("tools"), "input_schema") ||
			messages.HoldsBlocks(body.Get("messages")) {
			return messages.Format
		}
		if isOllama(body) {
			return chat.Ollama
		}
		return chat.Format
	case body.Get("input").Kind() == rawjson.Array, isText(body):
		return responses.Format
	case body.Get("contents").Kind() == rawjson.Array:
		return gemini.Format
	case body.Get("request").Get("contents").Kind() == rawjson.Array:
		return gemini.CodeAssist
	}
	return nil
}

// isOllama reports whether a body is one for Ollama's own chat, by members that chat completions do
// not have.
func isOllama(body rawjson.Value) bool {
	if body.Get("options") != nil || body.Get("keep_alive") != nil || body.Get("think") != nil {
		return true
	}
	for m := range body.Get("messages").Elements() {
		if m.Get("images") != nil || m.Get("tool_name") != nil || m.Get("thinking") != nil {
			return true
		}
		for call := range m.Get("tool_calls").Elements() {
			if call.Get("function").Get("arguments").Kind() == rawjson.Object {
				return true
			}
		}
	}
	return false
}

// isText reports whether a body is a request of Responses whose input is a string instead of a list
// of items. Some items have an input too; they also have a type.
func isText(body rawjson.Value) bool {
	return body.Get("input").Kind() == rawjson.String && body.Get("type") == nil
}

// HoldsItems reports whether an array of messages is an input of the Responses API, in which calls
// and results are items with a type and without a role.
func HoldsItems(array rawjson.Value) bool {
	for item := range array.Elements() {
		if item.Kind() == rawjson.Object && item.Get("role") == nil &&
			item.Get("type").Kind() == rawjson.String {
			return true
		}
	}
	return false
}

// anyHas reports whether any element of a list has a member.
func anyHas(list rawjson.Value, member string) bool {
	for element := range list.Elements() {
		if element.Get(member) != nil {
			return true
		}
	}
	return false
}
