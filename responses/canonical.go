package responses

import (
	"killick/rawjson"
	"killick/view"
	"killick/view/canonical"
)

// tag begins the canonical bytes of a message.
const tag = 'R'

// AppendCanonical implements [view.Format]. Besides what all formats leave out, it leaves out
// reasoning items, and the ids and statuses of items: some clients send them back and others do
// not. That a call of the server failed stays, since records state it. It also leaves out the phase
// of a message: conversations that differ in nothing else are the same, for example after a client
// begins to send it back.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = canonical.AppendItem(dst, tag, []byte(m.Role()))
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
		dst = canonical.AppendItem(dst, canonical.TagCall, []byte(it.typ))
		dst = canonical.AppendItem(dst, canonical.TagName, []byte(c.name))
		dst = canonical.AppendItem(dst, canonical.TagCallID, []byte(c.id))
		return canonical.AppendValue(append(dst, 'a'), c.arguments)
	case it.side == result && it.kind.says != "":
		dst = canonical.AppendItem(dst, canonical.TagResult, []byte(it.typ))
		dst = canonical.AppendText(dst, canonical.TagCallID, it.answers().Of(it.raw))
		dst = canonical.AppendText(dst, canonical.TagName, it.name.Of(it.raw))
		if it.kind.form == chunks {
			return canonical.AppendValue(append(dst, 'v'), it.says.Of(it.raw))
		}
		return appendParts(dst, it.says.Of(it.raw))
	}
	dst = canonical.AppendItem(dst, 'e', []byte(it.typ))
	for key, value := range it.raw.Members() {
		known := it.side != unknown && it.typ != referenceType
		failed := it.kind.ran != nil && value.Is("failed")
		if key.Is("type") || known && (key.Is("id") || key.Is("status") && !failed) {
			continue
		}
		dst = canonical.AppendValue(canonical.AppendValue(append(dst, 'k'), key), value)
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
			dst = canonical.AppendText(dst, 'x', p.Text)
		case p.Text != nil:
			dst = canonical.AppendText(dst, canonical.TagText, p.Text)
			dst = canonical.AppendSources(dst, appendCited(nil, p.Raw))
		default:
			dst = canonical.AppendValue(append(dst, canonical.TagPart), p.Raw)
		}
		return true
	})
	return dst
}
