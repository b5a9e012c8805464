package chat

import "killick/rawjson"

// ErrorBody returns an error in the shape that OpenAI's clients read:
// {"error":{"message","type","param","code"}}. An empty code becomes null.
func ErrorBody(message, typ, code string) []byte {
	b := rawjson.AppendQuoted([]byte(`{"error":{"message":`), message)
	b = rawjson.AppendQuoted(append(b, `,"type":`...), typ)
	b = append(b, `,"param":null,"code":`...)
	if code == "" {
		b = append(b, `null`...)
	} else {
		b = rawjson.AppendQuoted(b, code)
	}
	return append(b, `}}`...)
}
