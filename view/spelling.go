package view

import "killick/rawjson"

// Spelling is how a format spells JSON that is written anew.
type Spelling struct {
	TextPart  string // the type of a text part of a user's message, "" if parts have no type
	OnlyParts bool   // contents are lists; else strings or lists
	Content   string // the name of a content; if empty, "content"

	MarkedParts bool // cache marks are on parts, never on messages
	// JoinsTurns: every upstream reads consecutive messages of the same role as one turn.
	JoinsTurns bool
	// Alternates: upstreams refuse consecutive messages of the same role. Those that a change makes
	// consecutive are written as one.
	Alternates bool
}

// UserMessage returns a message of the user. Its content is a JSON string or a list of parts.
func (s Spelling) UserMessage(content []byte) []byte {
	out := []byte(`{"role":"user","content":`)
	if s.Content != "" {
		out = append(rawjson.AppendQuoted([]byte(`{"role":"user",`), s.Content), ':')
	}
	if s.OnlyParts && rawjson.Value(content).Kind() == rawjson.String {
		return append(append(s.AppendText(append(out, '['), content), ']'), '}')
	}
	return append(append(out, content...), '}')
}

// AppendText appends a part with a text, which is a JSON string.
func (s Spelling) AppendText(dst, text []byte) []byte {
	return append(append(s.BeginText(dst), text...), '}')
}

// BeginText appends the beginning of a part, up to its text.
func (s Spelling) BeginText(dst []byte) []byte {
	if s.TextPart == "" {
		return append(dst, `{"text":`...)
	}
	return append(rawjson.AppendQuoted(append(dst, `{"type":`...), s.TextPart), `,"text":`...)
}

// UserText returns the text of a message that UserMessage wrote, in any spelling; nil if it is
// another message or has another content than one text.
func UserText(raw []byte) (text rawjson.Value) {
	m := rawjson.Value(raw)
	if !m.Get("role").Is(string(User)) {
		return nil
	}
	if text = m.Get("content"); text == nil {
		text = m.Get("parts")
	}
	if text.Kind() == rawjson.Array {
		n, parts := 0, text
		for part := range parts.Elements() {
			text = part.Get("text")
			n++
		}
		if n != 1 {
			return nil
		}
	}
	if text.Kind() != rawjson.String {
		return nil
	}
	return text
}
