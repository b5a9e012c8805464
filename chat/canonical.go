package chat

import "encoding/binary"

// AppendCanonical appends the bytes that identify the message in a conversation: role, name,
// content, refusal, audio, tool calls and ids. It leaves out what changes from turn to turn without
// new content: cache_control anywhere, reasoning that clients drop when they send a message again,
// JSON white space and the spelling of escapes. A string equals one text part; absent, null and
// empty are equal. Halves of surrogate pairs stay distinct. Every item carries its length, so
// different messages have different bytes.
func (m *Message) AppendCanonical(dst []byte) []byte {
	dst = appendItem(dst, 'r', []byte(m.role))
	dst = appendText(dst, 'n', m.name.of(m.Raw))
	dst = appendText(dst, 'i', m.callID.of(m.Raw))
	for part := range m.Parts() {
		if part.Text != nil && part.Type == "text" {
			dst = appendText(dst, 't', part.Text)
			continue
		}
		dst = appendValue(append(dst, 'p'), part.Raw)
	}
	if m.role == Assistant {
		dst = appendText(dst, 'x', m.Field("refusal"))
		if audio := m.Field("audio"); audio.Kind() == Object {
			dst = appendValue(append(dst, 'a'), audio)
		}
	}
	for call := range m.calls.of(m.Raw).Elements() {
		dst = appendValue(append(dst, 'c'), call)
	}
	if call := m.legacyCall.of(m.Raw); call.Kind() == Object {
		dst = appendValue(append(dst, 'f'), call)
	}
	return dst
}

func appendItem(dst []byte, tag byte, data []byte) []byte {
	dst = binary.AppendUvarint(append(dst, tag), uint64(len(data)))
	return append(dst, data...)
}

// appendText appends a string, and nothing if it is absent, null or empty.
func appendText(dst []byte, tag byte, v Value) []byte {
	body := v.StringBody()
	if len(body) == 0 {
		return dst
	}
	return appendUnescapedItem(dst, tag, body)
}

// appendUnescapedItem is appendItem for the inside of a JSON string, decoded; its length, known
// only afterwards, has a fixed width.
func appendUnescapedItem(dst []byte, tag byte, body []byte) []byte {
	dst = append(dst, tag, 0, 0, 0, 0)
	start := len(dst)
	dst = appendUnescaped(dst, body, keepLone)
	binary.LittleEndian.PutUint32(dst[start-4:], uint32(len(dst)-start))
	return dst
}

// appendValue appends any value without its white space and without members
// called cache_control.
func appendValue(dst []byte, v Value) []byte {
	switch v.Kind() {
	case String:
		return appendUnescapedItem(dst, '"', v.StringBody())
	case Object:
		dst = append(dst, '{')
		for key, member := range v.Members() {
			if key.Is("cache_control") || member.Kind() == Null {
				continue
			}
			dst = appendValue(appendValue(dst, key), member)
		}
		return append(dst, '}')
	case Array:
		dst = append(dst, '[')
		for el := range v.Elements() {
			dst = appendValue(dst, el)
		}
		return append(dst, ']')
	default:
		return appendItem(dst, '#', v)
	}
}
