package responses

import (
	"iter"

	"killick/rawjson"
	"killick/view"
)

// Parts implements [view.Format]. The parts of a turn are those of its messages and, whole and
// without a text, its items that are neither messages nor calls. So reasoning is never quoted.
func (format) Parts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		if m.Fields().Content.End != 0 { // one item, whose content is at a known place
			contentParts(m, yield)
			return
		}
		for it := range items(m.Raw) {
			if !it.parts(yield) {
				return
			}
		}
	}
}

// contentParts yields the parts of a message that is one item with a content.
func contentParts(m *view.Message, yield func(view.Part) bool) {
	if formOf(m) == chunks {
		chunkParts(m.Content(), yield)
		return
	}
	partsOf(m.Content(), yield)
}

// formOf returns how the content of a message that is one item may be replaced. It does not read
// the content, which may be long.
func formOf(m *view.Message) form {
	kind, _ := kindOf(m.Field("type"))
	return kind.form
}

// parts yields the parts of one item, and reports whether more are wanted.
func (it *item) parts(yield func(view.Part) bool) bool {
	switch {
	case it.isMessage():
		return partsOf(it.content.Of(it.raw), yield)
	case it.calls():
		return true // they are no parts
	case it.says.End == 0 && it.kind.says != "":
		return true // a result without an output
	case it.side != result || it.kind.says == "":
		return yield(view.Part{Type: it.typ, Raw: it.raw})
	case it.kind.form == chunks:
		return chunkParts(it.says.Of(it.raw), yield)
	}
	return partsOf(it.says.Of(it.raw), yield)
}

// partsOf yields the parts of a content or an output.
func partsOf(content rawjson.Value, yield func(view.Part) bool) bool {
	switch content.Kind() {
	case rawjson.String:
		return textPart(content, yield)
	case rawjson.Array:
		for raw := range content.Elements() {
			if !yield(partOf(raw)) {
				return false
			}
		}
	case rawjson.Object: // what a computer's screen shows
		return yield(partOf(content))
	}
	return true
}

func textPart(content rawjson.Value, yield func(view.Part) bool) bool {
	return len(content) <= len(`""`) || yield(view.Part{Type: "text", Raw: content, Text: content})
}

func partOf(raw rawjson.Value) view.Part {
	part := view.Part{Type: raw.Get("type").Text(), Raw: raw}
	switch part.Type {
	case "input_text", "output_text", "text":
		part.Key = "text"
	case "refusal":
		part.Key = "refusal"
	case "computer_screenshot":
		part.Type = "input_image"
	case "":
		if raw.Kind() == rawjson.String {
			part.Type, part.Text = "text", raw
		}
	}
	if part.Key != "" {
		part.Text = raw.Get(part.Key)
	}
	return part
}

// chunkParts yields what commands printed: each stdout and stderr, as strings.
func chunkParts(output rawjson.Value, yield func(view.Part) bool) bool {
	for chunk := range output.Elements() {
		for _, name := range []string{"stdout", "stderr"} {
			if !textPart(chunk.Get(name), yield) {
				return false
			}
		}
	}
	return true
}

// WithContent implements [view.Format]. If the output may only be a string, or only a list of what
// commands printed, the content is converted to that.
func (format) WithContent(m *view.Message, content []byte) []byte {
	if m.Role() != view.Tool {
		return rawjson.Replace(m.Raw, m.Fields().Content, content)
	}
	switch formOf(m) {
	case locked:
		return m.Raw
	case text:
		content = stringOf(content)
	case parts:
		if isChunks(content) {
			content = stringOf(content)
		}
	case chunks:
		if !isChunks(content) {
			content = chunkOf(m.Content(), content)
		}
	}
	return rawjson.Replace(m.Raw, m.Fields().Content, content)
}

// isChunks reports whether a content is a list of what commands printed.
func isChunks(content rawjson.Value) bool {
	for chunk := range content.Elements() {
		if chunk.Get("stdout") == nil {
			return false
		}
	}
	return content.Kind() == rawjson.Array
}

// stringOf returns the text of a content as one JSON string.
func stringOf(content rawjson.Value) []byte {
	if content.Kind() == rawjson.String {
		return content
	}
	all := []byte{'"'}
	add := func(p view.Part) bool {
		if len(all) > 1 {
			all = append(all, `\n`...)
		}
		all = append(all, p.Text.StringBody()...)
		return true
	}
	if isChunks(content) {
		chunkParts(content, add)
	} else {
		partsOf(content, add)
	}
	return append(all, '"')
}

// chunkOf returns an output of commands that printed just the text of a content, with the last
// outcome in own.
func chunkOf(own, content rawjson.Value) []byte {
	outcome := rawjson.Value(`{"type":"exit","exit_code":0}`)
	for chunk := range own.Elements() {
		if last := chunk.Get("outcome"); last.Kind() == rawjson.Object {
			outcome = last
		}
	}
	b := append([]byte(`[{"stdout":`), stringOf(content)...)
	b = append(append(b, `,"stderr":"","outcome":`...), outcome...)
	return append(b, `}]`...)
}
