package view

import (
	"bytes"

	"killick/rawjson"
)

// peekBytes is how much PeekModel reads at either end of a body.
const peekBytes = 1 << 10

// PeekModel returns the model that a body names before or after its messages, nil if it cannot be
// found without reading them. The value refers to body. For a request that Parse accepts and that
// names only one model, it is that model.
func PeekModel(body []byte) rawjson.Value {
	if v := peekAhead(body); v != nil {
		return v
	}
	return peekBack(body)
}

// peekAhead reads the members at the beginning of the body that end within peekBytes.
func peekAhead(body []byte) (model rawjson.Value) {
	head := body[:min(len(body), peekBytes)]
	i := rawjson.Space(head, 0)
	if i >= len(head) || head[i] != '{' {
		return nil
	}
	_, _ = rawjson.WalkObject(head, i, func(key rawjson.Span, at int) (int, error) {
		end, err := rawjson.Skip(head, at)
		if err == nil && end < len(head) && key.Of(head).Is("model") {
			model, err = rawjson.Value(head[at:end]), rawjson.ErrStop
		}
		return end, err
	})
	return onlyString(model)
}

// peekBack reads the members at the end of the body backwards from its last bracket, which is
// outside all strings. A string then begins at the next quote; where that quote may be escaped, it
// gives up.
func peekBack(body []byte) rawjson.Value {
	b := bytes.TrimRight(body, " \t\r\n")
	b = b[max(0, len(b)-peekBytes):]
	i := len(b) - 1
	if i < 0 || b[i] != '}' {
		return nil
	}
	depth, value, colon := 1, rawjson.Span{}, false // value: of the member whose name comes next
	end := i
	for i--; i >= 0; i-- {
		switch c := b[i]; c {
		case '}', ']':
			depth++
		case '{', '[':
			if depth--; depth == 0 {
				return nil
			}
		case ',':
			if depth == 1 {
				end, colon = i, false
			}
		case ':':
			if depth == 1 {
				value, colon = rawjson.SpanOf(i+1, end), true
			}
		case '"':
			open := bytes.LastIndexByte(b[:i], '"')
			if open <= 0 || b[open-1] == '\\' ||
				bytes.IndexByte(b[open:i], '\\') >= 0 {
				return nil
			}
			if depth == 1 && colon && string(b[open+1:i]) == "model" {
				return onlyString(rawjson.Value(bytes.TrimSpace(value.Of(b))))
			}
			i = open
		}
	}
	return nil
}

// onlyString returns v if it is a string, else nil.
func onlyString(v rawjson.Value) rawjson.Value {
	if v.Kind() != rawjson.String {
		return nil
	}
	return v
}
