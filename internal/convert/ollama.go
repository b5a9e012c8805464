package convert

import (
	"bytes"

	"killick/rawjson"
)

// Ollama returns a chat request as one for Ollama's own chat, as ollama-ai-provider-v2 sends it:
// with the ids of calls.
func Ollama(chat []byte) []byte {
	b := object{'{'}
	for key, value := range rawjson.Value(chat).Members() {
		switch name := key.Text(); name {
		case "messages":
			b.add(name, list(value, appendOllama))
		case "model", "tools", "stream":
			b.add(name, value)
		case "max_tokens", "max_completion_tokens":
			b.add("options", append(append([]byte(`{"num_predict":`), value...), '}'))
		}
	}
	return append(b, '}')
}

// appendOllama appends a message.
func appendOllama(dst []byte, m rawjson.Value) []byte {
	b := object{'{'}
	role, id := m.Get("role"), m.Get("tool_call_id")
	switch role.Text() {
	case "developer":
		role = rawjson.Value(`"system"`)
	case "function":
		role, id = rawjson.Value(`"tool"`), m.Get("name")
	}
	b.add("role", role)
	text, images := ollamaContent(m.Get("content"))
	b.add("content", text)
	if len(images) > 0 {
		b.add("images", append(append([]byte{'['}, images...), ']'))
	}
	if id != nil {
		b.add("tool_call_id", id)
	}
	if calls := withCalls(nil, m, ollamaCall); len(calls) > 0 {
		b.add("tool_calls", append(append([]byte{'['}, calls...), ']'))
	}
	return append(append(dst, b...), '}')
}

func ollamaCall(id string, function rawjson.Value) []byte {
	b := rawjson.AppendQuoted([]byte(`{"id":`), id)
	b = append(append(b, `,"function":{"name":`...), function.Get("name")...)
	return append(append(append(b, `,"arguments":`...), argumentsOf(function)...), `}}`...)
}

// ollamaContent returns the text of a content, as a JSON string, and the images in it without
// brackets.
func ollamaContent(content rawjson.Value) (text, images []byte) {
	if content.Kind() == rawjson.String {
		return content, nil
	}
	text = []byte{'"'}
	for part := range content.Elements() {
		if more := part.Get("text").StringBody(); len(more) > 0 {
			if len(text) > 1 {
				text = append(text, `\n`...)
			}
			text = append(text, more...)
		}
		_, data, found := bytes.Cut(part.Get("image_url").Get("url").StringBody(),
			[]byte(";base64,"))
		if found {
			images = join(images, append(append([]byte{'"'}, data...), '"'))
		}
	}
	return append(text, '"'), images
}
