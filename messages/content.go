package messages

import (
	"bytes"
	"iter"

	"killick/rawjson"
	"killick/view"
	"killick/view/canonical"
)

// Parts implements [view.Format]: the blocks of the content except calls. Only blocks of type text
// have a Text, so that thinking is never quoted. What the model said is divided where it cites
// something (https://platform.claude.com/docs/en/build-with-claude/citations).
func (format) Parts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		if text := m.Content(); text.Kind() == rawjson.String && len(text) > len(`""`) {
			yield(view.Part{Type: typeText, Raw: text, Text: text})
			return
		}
		said := m.Role() == view.Assistant
		var before rawjson.Value // the block before, if it is a text of the model's
		for raw := range blocks(m) {
			part := view.Part{Type: raw.Get("type").Text(), Raw: raw}
			switch part.Type {
			case typeToolUse:
				if said {
					before = nil
					continue
				}
			case typeText:
				if text := raw.Get("text"); text.Kind() == rawjson.String {
					part.Key, part.Text = "text", text
					part.Continues = before != nil && (cites(before) || cites(raw))
				}
			}
			if before = nil; said && part.Text != nil {
				before = raw
			}
			if !yield(part) {
				return
			}
		}
	}
}

// cites reports whether a block of text has citations.
func cites(block rawjson.Value) bool {
	for range block.Get("citations").Elements() {
		return true
	}
	return false
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

// WithContent implements [view.Format]. A run of blocks stays a run: a string becomes a text block.
func (format) WithContent(m *view.Message, content []byte) []byte {
	if !m.Is(view.Several) {
		return rawjson.Replace(m.Raw, m.Fields().Content, content)
	}
	if content = bytes.TrimSpace(content); rawjson.Value(content).Kind() == rawjson.String {
		return append(append([]byte(`{"type":"text","text":`), content...), '}')
	}
	return m.WithBlocks(content)
}

func (format) WithoutSigned(m *view.Message) []byte {
	if !m.Is(view.Signed) {
		return m.Raw
	}
	return m.WithoutBlocks(func(block rawjson.Value, _ int) bool {
		return kindOf(block.Get("type")) == signed
	})
}

// The tags of canonical bytes that are this format's own.
const (
	tagMessage = 'm' // and of a result
	tagRun     = 'b'
	tagError   = 'e'
)

// AppendCanonical implements [view.Format]. A run of blocks differs from a whole message with the
// same blocks, because its replacement is spelled differently.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = canonical.AppendRole(dst, m, tagMessage, tagRun)
	dst = canonical.AppendText(dst, canonical.TagCallID, m.Fields().CallID.Of(m.Raw))
	if m.Role().Result() && string(m.Field("is_error")) == "true" {
		dst = append(dst, tagError)
	}
	dst = canonical.AppendText(dst, canonical.TagText, m.Content())
	for block := range blocks(m) {
		switch typ := block.Get("type"); kindOf(typ) {
		case signed:
			continue
		case call:
			dst = canonical.AppendValue(append(dst, canonical.TagCall), block)
			continue
		case plain:
			if text := block.Get("text"); typ.Is(typeText) && text.Kind() == rawjson.String {
				dst = canonical.AppendText(dst, canonical.TagText, text)
				dst = canonical.AppendSources(dst, appendCited(nil, block))
				continue
			}
		}
		dst = canonical.AppendValue(append(dst, canonical.TagPart), block)
	}
	return dst
}
