package view

import (
	"bytes"

	"killick/rawjson"
)

// MarkNames are the names of the members that say how far the provider is to cache. Sources:
// Anthropic, "Prompt caching"; OpenAI, "Prompt caching" (explicit breakpoints of content parts).
var MarkNames = [...]string{"cache_control", "prompt_cache_breakpoint"}

var quotedMarkNames = [...][]byte{[]byte(`"cache_control"`), []byte(`"prompt_cache_breakpoint"`)}

// IsMark reports whether a member of this name is a mark.
func IsMark(key rawjson.Value) bool {
	for _, name := range MarkNames {
		if key.Is(name) {
			return true
		}
	}
	return false
}

// MayBeMarked reports whether the name of a mark, as it is mostly spelled, stands in a text.
func MayBeMarked(raw []byte) bool {
	for _, name := range quotedMarkNames {
		if bytes.Contains(raw, name) {
			return true
		}
	}
	return false
}

// MayBeMarked reports whether a mark, as it is mostly spelled, may stand in the message. A content
// that is a string is not searched: it holds no members.
func (m *Message) MayBeMarked() bool {
	raw, content := m.Raw, m.fields.Content
	if m.Content().Kind() != rawjson.String {
		return MayBeMarked(raw)
	}
	return MayBeMarked(raw[:content.Start]) || MayBeMarked(raw[content.End:])
}

// MarkOf returns the mark of an object with its name, nil if it has none.
func MarkOf(object rawjson.Value) (name string, mark rawjson.Value) {
	for _, name := range MarkNames {
		if mark := object.Get(name); mark.Kind() == rawjson.Object {
			return name, mark
		}
	}
	return "", nil
}

// WithoutMarks returns an object without its marks.
func WithoutMarks(object rawjson.Value) rawjson.Value {
	for _, name := range MarkNames {
		object = object.Without(name)
	}
	return object
}
