// Package canonical writes the bytes that identify messages, whatever their spelling: see
// [view.Message.AppendCanonical]. It never decides which parts of a message identify it.
package canonical

import (
	"encoding/binary"

	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// The tags of items in canonical bytes that formats share. A message begins with a tag that no
// other format begins a message with.
const (
	TagText   = 't'
	TagCall   = 'c'
	TagCallID = 'i'
	TagResult = 'o'
	TagPart   = 'p' // any other part of a content
	TagName   = 'n'
	TagCited  = 'u'
)

// AppendItem appends a tag, the length of data, and data.
func AppendItem(dst []byte, tag byte, data []byte) []byte {
	dst = binary.AppendUvarint(append(dst, tag), uint64(len(data)))
	return append(dst, data...)
}

// AppendRole appends the role of a message under a tag: that of whole messages, or that of runs of
// blocks, whose replacement is spelled differently.
func AppendRole(dst []byte, m *view.Message, whole, run byte) []byte {
	tag := whole
	if m.Is(view.Several) {
		tag = run
	}
	return AppendItem(dst, tag, []byte(m.Role()))
}

// AppendSources appends what identifies cited sources in a conversation.
func AppendSources(dst []byte, list []view.Source) []byte {
	for _, s := range list {
		for _, text := range []string{s.Title, s.URL, s.Text} {
			dst = AppendItem(dst, TagCited, []byte(text))
		}
	}
	return dst
}

// AppendText appends a string, or nothing if it is absent, null or empty.
func AppendText(dst []byte, tag byte, v rawjson.Value) []byte {
	body := v.StringBody()
	if len(body) == 0 {
		return dst
	}
	return appendDecoded(dst, tag, body)
}

// appendDecoded is like AppendItem for the decoded inside of a JSON string. The length has a fixed
// width, since it is known only after decoding.
func appendDecoded(dst []byte, tag byte, body []byte) []byte {
	dst = append(dst, tag, 0, 0, 0, 0)
	start := len(dst)
	dst = rawjson.AppendUnescaped(dst, body, rawjson.KeepLone)
	binary.LittleEndian.PutUint32(dst[start-4:], uint32(len(dst)-start))
	return dst
}

// AppendValue appends any value without its white space and without cache marks.
func AppendValue(dst []byte, v rawjson.Value) []byte {
	if len(v) == 0 {
		return AppendItem(dst, '#', nil)
	}
	dst, _, _ = appendValueAt(dst, v, 0)
	return dst
}

// appendValueAt is like AppendValue for the value that starts at b[at]. It returns the offset just
// past the value, so that each byte is read once, at any depth.
func appendValueAt(dst, b []byte, at int) (_ []byte, end int, err error) {
	if at < len(b) && b[at] == '{' {
		dst = append(dst, '{')
		end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (end int, err error) {
			name := key.Of(b)
			if from < len(b) && b[from] == 'n' || marks.Is(name) { // null, or a mark
				return rawjson.Skip(b, from)
			}
			dst, end, err = appendValueAt(AppendValue(dst, name), b, from)
			return end, err
		})
		return append(dst, '}'), end, err
	}
	if at < len(b) && b[at] == '[' {
		dst = append(dst, '[')
		end, err = rawjson.WalkArray(b, at, func(from int) (end int, err error) {
			dst, end, err = appendValueAt(dst, b, from)
			return end, err
		})
		return append(dst, ']'), end, err
	}
	if end, err = rawjson.Skip(b, at); err != nil {
		return dst, end, err
	}
	if v := rawjson.Value(b[at:end]); v.Kind() == rawjson.String {
		return appendDecoded(dst, '"', v.StringBody()), end, nil
	}
	return AppendItem(dst, '#', b[at:end]), end, nil
}
