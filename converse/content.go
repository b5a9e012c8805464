package converse

import (
	"bytes"
	"iter"

	"killick/rawjson"
	"killick/view"
	"killick/view/canonical"
)

// blocks yields the blocks of a message with their places in Raw; of a result, the result itself
// and the cache points after it.
func blocks(m *view.Message) iter.Seq[block] {
	return view.Blocks(m, isRun(m), func(b []byte, at int) (k block, end int, err error) {
		end, err = k.read(b, at, levels-1)
		return k, end, err
	})
}

// isRun reports whether a message is a run of blocks, as the result of a call is too.
func isRun(m *view.Message) bool { return m.Is(view.Several) || m.Role().Result() }

// typeText is the type of a part with a text. Other parts have the name of their member.
const typeText = "text"

// Parts implements [view.Format]: the blocks of the content except calls and cache points; of a
// result, the blocks in it. What the model thought has no Text, so that it is never quoted.
func (format) Parts(m *view.Message) iter.Seq[view.Part] {
	if m.Role().Result() {
		return resultParts(m)
	}
	return func(yield func(view.Part) bool) {
		text, cited := false, false // whether the model said the block before, and cited something
		for k := range blocks(m) {
			raw := rawjson.Value(m.Raw[k.start:k.end])
			switch {
			case k.kind == mark, k.kind == call && m.Role() == view.Assistant:
				text = text && k.kind == mark
				continue
			case m.Role() == view.Assistant && k.name.Of(raw).Is("citationsContent"):
				if !yieldCited(k.data.Of(raw), text, yield) {
					return
				}
				text, cited = true, true
				continue
			}
			part := k.part(raw)
			part.Continues = part.Text != nil && text && cited
			text, cited = part.Text != nil && m.Role() == view.Assistant, false
			if !yield(part) {
				return
			}
		}
	}
}

// yieldCited yields the texts of what the model said with citations. continues is whether the first
// of them goes on where the block before ended.
func yieldCited(cited rawjson.Value, continues bool, yield func(view.Part) bool) bool {
	for raw := range cited.Get("content").Elements() {
		if text := raw.Get("text"); text.Kind() == rawjson.String {
			part := view.Part{
				Type: typeText, Raw: raw, Text: text, Key: typeText, Continues: continues,
			}
			if continues = true; !yield(part) {
				return false
			}
		}
	}
	return true
}

// part returns the block as others see it. raw is the block.
func (k *block) part(raw rawjson.Value) view.Part {
	p := view.Part{Type: k.name.Of(raw).Text(), Raw: raw}
	if data := k.data.Of(raw); k.kind == text && data.Kind() == rawjson.String &&
		p.Type == typeText {
		p.Key, p.Text = typeText, data
	}
	return p
}

// resultParts yields the blocks in a result. JSON is one text.
func resultParts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		for raw := range m.Content().Elements() {
			var k block
			if _, err := k.read(raw, 0, 0); err != nil {
				return
			}
			p := k.part(raw)
			if data := k.data.Of(raw); k.kind == text && p.Text == nil && p.Type != typeText {
				quoted := rawjson.AppendQuoted(nil, string(data))
				p = view.Part{Type: typeText, Raw: quoted, Text: quoted}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// ToolCalls implements [view.Format]. A call that the server runs is not included.
func (format) ToolCalls(m *view.Message) (calls []view.ToolCall) {
	if m.Fields().Calls.End == 0 {
		return nil
	}
	for k := range blocks(m) {
		if k.kind != call {
			continue
		}
		raw := m.Raw[k.start:k.end]
		calls = append(calls, view.ToolCall{
			Raw: k.data.Of(raw), Type: "function", ID: k.id.Of(raw).Text(),
			Name: k.tool.Of(raw).Text(), Arguments: k.input.Of(raw),
		})
	}
	return calls
}

// WithContent implements [view.Format]. A string, alone or in the list, becomes a text block.
func (format) WithContent(m *view.Message, content []byte) []byte {
	content = bytes.TrimSpace(content)
	switch rawjson.Value(content).Kind() {
	case rawjson.String:
		content = append(spelling.AppendText([]byte{'['}, content), ']')
	case rawjson.Array:
		content = inBlocks(content)
	}
	return m.WithBlocks(content)
}

// inBlocks returns a list with a text block in place of each string.
func inBlocks(list rawjson.Value) []byte {
	out := []byte{'['}
	changed := false
	for el := range list.Elements() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if el.Kind() == rawjson.String {
			out, changed = spelling.AppendText(out, el), true
		} else {
			out = append(out, el...)
		}
	}
	if !changed {
		return list
	}
	return append(out, ']')
}

// WithoutSigned implements [view.Format]. A cache point must follow something.
func (format) WithoutSigned(m *view.Message) []byte {
	if !m.Is(view.Signed) {
		return m.Raw
	}
	return m.WithoutBlocks(func(raw rawjson.Value, kept int) bool {
		var k block
		_, err := k.read(raw, 0, levels-1)
		return err == nil && (k.kind == signed || k.kind == mark && kept == 0)
	})
}

// The tags of canonical bytes that are this format's own.
const (
	tagMessage = 'v' // and of a result
	tagRun     = 'w'
)

// AppendCanonical implements [view.Format]. It leaves out what the model thought, which clients may
// drop later, and cache points.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = canonical.AppendRole(dst, m, tagMessage, tagRun)
	for k := range blocks(m) {
		raw := rawjson.Value(m.Raw[k.start:k.end])
		data := k.data.Of(raw)
		switch k.kind {
		case signed, mark:
		case text:
			if data.Kind() != rawjson.String {
				dst = canonical.AppendValue(append(dst, canonical.TagPart), raw)
				continue
			}
			dst = canonical.AppendText(dst, canonical.TagText, data)
		case call:
			dst = canonical.AppendValue(append(dst, canonical.TagCall), data)
		case result:
			dst = canonical.AppendValue(append(dst, canonical.TagResult), data)
		default:
			dst = canonical.AppendValue(append(dst, canonical.TagPart), raw)
		}
	}
	return dst
}
