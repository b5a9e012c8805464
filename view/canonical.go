package view

import (
	"encoding/binary"

	"killick/rawjson"
)

// Formats write the canonical bytes of a message with these: see [Message.AppendCanonical].

// AppendItem appends a tag, the length of data, and data.
func AppendItem(dst []byte, tag byte, data []byte) []byte {
	dst = binary.AppendUvarint(append(dst, tag), uint64(len(data)))
	return append(dst, data...)
}

// AppendText appends a string, and nothing if it is absent, null or empty.
func AppendText(dst []byte, tag byte, v rawjson.Value) []byte {
	body := v.StringBody()
	if len(body) == 0 {
		return dst
	}
	return appendDecoded(dst, tag, body)
}

// appendDecoded is AppendItem for the inside of a JSON string, decoded; its length, known
// only afterwards, has a fixed width.
func appendDecoded(dst []byte, tag byte, body []byte) []byte {
	dst = append(dst, tag, 0, 0, 0, 0)
	start := len(dst)
	dst = rawjson.AppendUnescaped(dst, body, rawjson.KeepLone)
	binary.LittleEndian.PutUint32(dst[start-4:], uint32(len(dst)-start))
	return dst
}

// AppendValue appends any value without its white space and without cache marks.
func AppendValue(dst []byte, v rawjson.Value) []byte {
	switch v.Kind() {
	case rawjson.String:
		return appendDecoded(dst, '"', v.StringBody())
	case rawjson.Object:
		dst = append(dst, '{')
		for key, member := range v.Members() {
			if member.Kind() == rawjson.Null || IsMark(key) {
				continue
			}
			dst = AppendValue(AppendValue(dst, key), member)
		}
		return append(dst, '}')
	case rawjson.Array:
		dst = append(dst, '[')
		for el := range v.Elements() {
			dst = AppendValue(dst, el)
		}
		return append(dst, ']')
	default:
		return AppendItem(dst, '#', v)
	}
}
