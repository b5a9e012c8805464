package messages

import (
	"bytes"
	"iter"

	"killick/rawjson"
	"killick/view"
)

// Parts implements [view.Format]: the blocks of the content except calls. Only blocks of type text
// have a Text, so that thinking is never quoted.
func (format) Parts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		if text := m.Content(); text.Kind() == rawjson.String && len(text) > len(`""`) {
			yield(view.Part{Type: typeText, Raw: text, Text: text})
			return
		}
		for raw := range blocks(m) {
			part := view.Part{Type: raw.Get("type").Text(), Raw: raw}
			switch part.Type {
			case typeToolUse:
				if m.Role() == view.Assistant {
					continue
				}
			case typeText:
				if text := raw.Get("text"); text.Kind() == rawjson.String {
					part.Key, part.Text = "text", text
				}
			}
			if !yield(part) {
				return
			}
		}
	}
}

// ToolCalls implements [view.Format]. A call that the API itself runs is not included: its result
// is in the same message of the model, or in a later one.
func (format) ToolCalls(m *view.Message) []view.ToolCall {
	var calls []view.ToolCall
	for raw := range m.Fields().Calls.Of(m.Raw).Elements() {
		of := raw.GetEach("type", "id", "name", "input", "caller")
		if of[0].Is(typeToolUse) {
			calls = append(calls, view.ToolCall{
				Raw: raw, Type: "function", ID: of[1].Text(), Name: of[2].Text(), Arguments: of[3],
				ByProgram: isProgram(of[4]),
			})
		}
	}
	return calls
}

// isProgram reports whether the caller of a tool is code that the API runs. Source:
// anthropic-sdk-go v1.84.0, BetaToolUseCallerUnion.
func isProgram(caller rawjson.Value) bool {
	typ := caller.Get("type")
	return typ.Kind() == rawjson.String && !typ.Is("direct")
}

// WithContent implements [view.Format]. A run of blocks stays a run: a string becomes a text block,
// and an array loses its brackets. A run cannot be empty, so for an empty content the message is
// returned unchanged.
func (format) WithContent(m *view.Message, content []byte) []byte {
	if !m.Is(view.Several) {
		return rawjson.Replace(m.Raw, m.Fields().Content, content)
	}
	content = bytes.TrimSpace(content)
	switch rawjson.Value(content).Kind() {
	case rawjson.String:
		return append(append([]byte(`{"type":"text","text":`), content...), '}')
	case rawjson.Array:
		if inside := bytes.TrimSpace(content[1 : len(content)-1]); len(inside) > 0 {
			return inside
		}
	}
	return m.Raw
}

func (format) WithoutSigned(m *view.Message) []byte {
	if !m.Is(view.Signed) {
		return m.Raw
	}
	last := int(m.Fields().Content.Start) + 1 // the end of the previous block, or of the bracket
	out := append(make([]byte, 0, len(m.Raw)), m.Raw[:last]...)
	kept := 0
	for at := range spans(m) {
		before := m.Raw[last:at.Start]
		last = int(at.End)
		if kindOf(at.Of(m.Raw).Get("type")) == signed {
			continue
		}
		if kept == 0 {
			before = before[bytes.IndexByte(before, ',')+1:]
		}
		kept++
		out = append(append(out, before...), at.Of(m.Raw)...)
	}
	if kept == 0 {
		return nil
	}
	return append(out, m.Raw[last:]...)
}

// The tags of canonical bytes: see [view.Message.AppendCanonical]. Messages of other formats begin
// with other tags.
const (
	tagMessage = 'm' // and of a result
	tagRun     = 'b'
	tagCallID  = 'i'
	tagText    = 't'
	tagCall    = 'c'
	tagPart    = 'p'
	tagError   = 'e'
)

// AppendCanonical implements [view.Format]. A run of blocks differs from a whole message with the
// same blocks, because its replacement is spelled differently.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	tag := byte(tagMessage)
	if m.Is(view.Several) {
		tag = tagRun
	}
	dst = view.AppendItem(dst, tag, []byte(m.Role()))
	dst = view.AppendText(dst, tagCallID, m.Fields().CallID.Of(m.Raw))
	if m.Role().Result() && string(m.Field("is_error")) == "true" {
		dst = append(dst, tagError)
	}
	dst = view.AppendText(dst, tagText, m.Content())
	for block := range blocks(m) {
		switch typ := block.Get("type"); kindOf(typ) {
		case signed:
			continue
		case call:
			dst = view.AppendValue(append(dst, tagCall), block)
			continue
		case plain:
			if text := block.Get("text"); typ.Is(typeText) && text.Kind() == rawjson.String {
				dst = view.AppendText(dst, tagText, text)
				continue
			}
		}
		dst = view.AppendValue(append(dst, tagPart), block)
	}
	return dst
}
