package checkpoint

import (
	"bytes"

	"killick/compactor/layout"
	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// Some clients mark with cache_control up to where the provider should cache: on a message, on a
// part of its content, or in a call. A mark on a kept message stays where it is. A mark in folded
// turns moves to the record, which ends the stable part of the prompt; several become one. So there
// are never more marks than the client set: providers accept four (docs.anthropic.com, prompt
// caching) and reject a request with five.

// breakpoint is a cache_control whose message was folded.
type breakpoint struct {
	name    string
	value   rawjson.Value // nil if there is none
	message bool          // it was on the message itself, not on a part or a call
}

// foldedBreakpoint returns the last mark in the messages that cp folds. Marks of instructions and
// of messages that are kept as received stay with them, unless all becomes one message.
func foldedBreakpoint(v *layout.View, cp *Checkpoint) breakpoint {
	stays := map[int]bool{}
	for _, k := range cp.Kept() {
		stays[k.Index] = k.Raw == nil && !v.Strict
	}
	for i := cp.Fold - 1; i >= 0; i-- {
		m := &v.Messages[i]
		if !v.MayBeMarked(i) || v.Stays(i) || stays[i] {
			continue
		}
		if b := lastBreakpoint(m); b.value != nil {
			return b
		}
	}
	return breakpoint{}
}

// lastBreakpoint returns the mark of a message that ends the longest prefix.
func lastBreakpoint(m *view.Message) breakpoint {
	if !m.Is(view.Several) {
		if name, mark := marks.Of(m.Raw); mark != nil {
			return breakpoint{name, mark, !m.Format().Spelling().MarkedParts}
		}
	}
	var b breakpoint
	for part := range m.Parts() {
		if name, mark := marks.Of(part.Raw); mark != nil {
			b = breakpoint{name: name, value: mark}
		}
	}
	for _, call := range m.ToolCalls() {
		if name, mark := marks.Of(call.Raw); mark != nil {
			b = breakpoint{name: name, value: mark}
		}
	}
	return b
}

// member returns the mark as the last member of an object.
func (b breakpoint) member() []byte {
	return append(append(rawjson.AppendQuoted([]byte{','}, b.name), ':'), b.value...)
}

// on returns an object with the mark as its last member. A part that is not an object is returned
// unchanged.
func (b breakpoint) on(object []byte) []byte {
	if rawjson.Value(object).Kind() != rawjson.Object {
		return object
	}
	end := bytes.LastIndexByte(object, '}')
	out := append(make([]byte, 0, len(object)+len(b.value)+20), object[:end]...)
	member := b.member()
	if out = bytes.TrimRight(out, " \t\r\n"); bytes.HasSuffix(out, []byte("{")) {
		member = member[1:] // the first member of an empty object
	}
	return append(append(out, member...), object[end:]...)
}
