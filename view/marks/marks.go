// Package marks reads and places the marks by which clients say up to where a provider caches a
// conversation. A format says how it marks a message. The package decides nothing else about a
// request.
package marks

import (
	"bytes"

	"killick/rawjson"
)

// Names are the names of the members that mark up to where the provider caches. Sources:
// Anthropic, "Prompt caching"; OpenAI, "Prompt caching" (explicit breakpoints of content parts);
// Amazon Bedrock, "Prompt caching" (the only member of a block of its own).
var Names = [...]string{"cache_control", "prompt_cache_breakpoint", "cachePoint"}

// inNames is a part of each of them, which is searched for first.
var inNames = []byte("cache")

var quotedNames = [...][]byte{
	[]byte(`"cache_control"`), []byte(`"prompt_cache_breakpoint"`), []byte(`"cachePoint"`),
}

// Is reports whether a member of this name is a mark.
func Is(key rawjson.Value) bool {
	for _, name := range Names {
		if key.Is(name) {
			return true
		}
	}
	return false
}

// MayBeIn reports whether a text contains the name of a mark in its usual spelling.
func MayBeIn(raw []byte) bool {
	if !bytes.Contains(raw, inNames) {
		return false
	}
	for _, name := range quotedNames {
		if bytes.Contains(raw, name) {
			return true
		}
	}
	return false
}

// Of returns the mark of an object and its name; the mark is nil if there is none.
func Of(object rawjson.Value) (name string, mark rawjson.Value) {
	for _, name := range Names {
		if mark := object.Get(name); mark.Kind() == rawjson.Object {
			return name, mark
		}
	}
	return "", nil
}

// Count returns how many elements of lists have a mark of this name.
func Count(name string, lists ...rawjson.Value) (n int) {
	for _, list := range lists {
		for el := range list.Elements() {
			if el.Get(name).Kind() == rawjson.Object {
				n++
			}
		}
	}
	return n
}

// Without returns an object without its marks.
func Without(object rawjson.Value) rawjson.Value {
	for _, name := range Names {
		object = object.Without(name)
	}
	return object
}
