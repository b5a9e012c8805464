package responses

import (
	"killick/rawjson"
	"killick/view"
)

// tag begins the canonical bytes of a message.
const tag = 'R'

// AppendCanonical implements [view.Format]. Besides what all formats leave out, it leaves out
// reasoning items, and the ids and statuses of items: some clients send them back and others do
// not. That a call of the server failed stays, since records state it. It also leaves out the phase
// of a message: conversations that differ in nothing else are the same, for example after a client
// begins to send it back.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = view.AppendItem(dst, tag, []byte(m.Role()))
	for it := range items(m.Raw) {
		dst = it.appendCanonical(dst)
	}
	return dst
}

func (it *item) appendCanonical(dst []byte) []byte {
	switch {
	case it.typ == reasoningType:
		return dst
	case it.isMessage():
		return appendParts(append(dst, 'm'), it.content.Of(it.raw))
	case it.calls():
		c := it.kind.call(it.raw)
		dst = view.AppendItem(dst, view.TagCall, []byte(it.typ))
		dst = view.AppendItem(dst, view.TagName, []byte(c.name))
		dst = view.AppendItem(dst, view.TagCallID, []byte(c.id))
		return view.AppendValue(append(dst, 'a'), c.arguments)
	case it.side == result && it.kind.says != "":
		dst = view.AppendItem(dst, view.TagResult, []byte(it.typ))
		dst = view.AppendText(dst, view.TagCallID, it.answers().Of(it.raw))
		dst = view.AppendText(dst, view.TagName, it.name.Of(it.raw))
		if it.kind.form == chunks {
			return view.AppendValue(append(dst, 'v'), it.says.Of(it.raw))
		}
		return appendParts(dst, it.says.Of(it.raw))
	}
	dst = view.AppendItem(dst, 'e', []byte(it.typ))
	for key, value := range it.raw.Members() {
		known := it.side != unknown && it.typ != referenceType
		failed := it.kind.ran != nil && value.Is("failed")
		if key.Is("type") || known && (key.Is("id") || key.Is("status") && !failed) {
			continue
		}
		dst = view.AppendValue(view.AppendValue(append(dst, 'k'), key), value)
	}
	return dst
}

// appendParts appends a content or an output. Of a text part only the text counts, and the sources
// that it cites, since records state them: neither what else the server adds to it, nor whether it
// is a part or a string.
func appendParts(dst []byte, content rawjson.Value) []byte {
	partsOf(content, func(p view.Part) bool {
		switch {
		case p.Text != nil && p.Type == "refusal":
			dst = view.AppendText(dst, 'x', p.Text)
		case p.Text != nil:
			dst = view.AppendText(dst, view.TagText, p.Text)
			dst = view.AppendSources(dst, view.TagCited, appendCited(nil, p.Raw))
		default:
			dst = view.AppendValue(append(dst, view.TagPart), p.Raw)
		}
		return true
	})
	return dst
}
