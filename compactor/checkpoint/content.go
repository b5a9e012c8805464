package checkpoint

import (
	"bytes"

	"killick/compactor/layout"
	"killick/rawjson"
	"killick/transcript/speech"
	"killick/view"
	"killick/view/marks"
)

// recordEnd separates a record from the user's own words in one message.
const recordEnd = "\n" + speech.RecordEnd + "\n\n"

// content is the content of a message that is being made: texts, still escaped, and parts of other
// kinds, in order.
type content []piece

type piece struct {
	text []byte // the inside of a JSON string; nil if the piece is a part of another kind
	part []byte
}

// contentOf returns what is sent for folded turns as one content.
func contentOf(v *layout.View, records []Record) (c content) {
	for i := range records {
		r := &records[i]
		for k := range r.Kept {
			if m := r.Kept[k].message(v); m != nil {
				c = c.with(m)
			}
		}
		c = append(c, contentOfRecord(r)...).joined()
	}
	return c
}

// message returns the kept message as it is sent, nil if it cannot be read: that was checked when
// the checkpoint was read.
func (k *Kept) message(v *layout.View) *view.Message {
	if k.Raw == nil {
		return &v.Messages[k.Index]
	}
	m, err := v.Parse(k.Raw)
	if err != nil {
		return nil
	}
	return &m
}

// contentOfRecord returns the content of one record.
func contentOfRecord(r *Record) content {
	return content{{text: append([]byte{}, r.text().StringBody()...)}}
}

// with returns the content with that of a message after it.
func (c content) with(m *view.Message) content {
	for part := range m.Parts() {
		if part.Text == nil {
			// The mark of folded turns moves to the record; here it would be one too many.
			c = append(c, piece{part: marks.Without(part.Raw)})
		} else {
			c = append(c, piece{text: append([]byte{}, part.Text.StringBody()...)})
		}
	}
	return c.joined()
}

// joined returns the content with consecutive texts as one.
func (c content) joined() content {
	var out content
	for _, p := range c {
		if last := len(out) - 1; last >= 0 && p.text != nil && out[last].text != nil {
			out[last].text = append(append(out[last].text, `\n\n`...), p.text...)
			continue
		}
		out = append(out, p)
	}
	return out
}

// plain reports whether the content is one text.
func (c content) plain() bool { return len(c) == 1 && c[0].text != nil }

// parts returns the parts of the content, without the brackets. The last has the mark, if there is
// one.
func (c content) parts(spelling view.Spelling, mark breakpoint) []byte {
	var out []byte
	for i := range c {
		part := c[i].part
		if c[i].text != nil {
			part = append(append(spelling.BeginText(nil), '"'), c[i].text...)
			part = append(part, `"}`...)
		}
		if i == len(c)-1 && mark.value != nil {
			part = mark.on(part)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	return out
}

// message returns a user message of this content, with a mark where the client had its
// own: on the message, or on a part.
func (c content) message(spelling view.Spelling, mark breakpoint) []byte {
	onPart := mark
	if mark.message {
		onPart = breakpoint{}
	}
	raw := append(append([]byte{'['}, c.parts(spelling, onPart)...), ']')
	if c.plain() && onPart.value == nil {
		raw = append(append([]byte{'"'}, c[0].text...), '"')
	}
	out := spelling.UserMessage(raw)
	if mark.message {
		return mark.on(out)
	}
	return out
}

// mergeInto returns the user's message m with c, which ends with a record, before its own content.
// The client's bytes do not change: neither the escapes in its string nor the white space between
// its parts.
func mergeInto(m *view.Message, c content, mark breakpoint) []byte {
	record := &c[len(c)-1]
	record.text = rawjson.AppendEscaped(record.text, recordEnd)
	var onPart breakpoint
	if !mark.message {
		onPart = mark
	}
	spelling := m.Format().Spelling()
	own := m.Content()
	var merged []byte
	switch own.Kind() {
	case rawjson.String:
		if c.plain() && onPart.value == nil {
			merged = append(append([]byte{'"'}, c[0].text...), own[1:]...)
			break
		}
		merged = append(append([]byte{'['}, c.parts(spelling, onPart)...), ',')
		merged = append(spelling.AppendText(merged, own), ']')
	case rawjson.Array:
		merged = append([]byte{'['}, c.parts(spelling, onPart)...)
		if inside := own[1:]; len(bytes.TrimSpace(inside)) > 1 {
			merged = append(append(merged, ','), inside...)
		} else {
			merged = append(merged, ']')
		}
	default:
		merged = append(append([]byte{'['}, c.parts(spelling, onPart)...), ']')
	}
	out := m.WithContent(merged)
	if own == nil { // there is no content: insert one
		out = append(append(append([]byte(`{"content":`), merged...), ','), m.Raw[1:]...)
	}
	if mark.message && m.Field(mark.name) == nil {
		out = mark.on(out)
	}
	return out
}
