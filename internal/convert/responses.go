package convert

import (
	"fmt"
	"slices"

	"killick/rawjson"
)

// Responses returns a chat request as one for the Responses API, as its clients send it: store is
// false, so nothing has an id. Calls whose id was used before get another one, since that API
// refuses a second call with the same id.
//
// An assistant message that follows another one becomes a part of the same turn there.
func Responses(chat []byte) []byte {
	r := inputWriter{ids: map[string]string{}, used: map[string]bool{}}
	b := []byte(`{"store":false`)
	for key, value := range rawjson.Value(chat).Members() {
		name := key.Text()
		switch name {
		case "messages":
			name, value = "input", r.input(value)
		case "tools":
			value = list(value, appendTool)
		case "max_tokens", "max_completion_tokens":
			name = "max_output_tokens"
		case "response_format":
			name, value = "text", slices.Concat([]byte(`{"format":`),
				flat(value, "json_schema"), []byte{'}'})
		case "tool_choice":
			value = flat(value, "function")
		case "stream_options", "n", "store":
			continue
		}
		b = rawjson.AppendQuoted(append(b, ','), name)
		b = append(append(b, ':'), value...)
	}
	return append(b, '}')
}

// list returns an array with what add returns for each element.
func list(array rawjson.Value, add func(dst []byte, v rawjson.Value) []byte) rawjson.Value {
	b := []byte{'['}
	for v := range array.Elements() {
		n := len(b)
		if n > 1 {
			b = append(b, ", "...)
		}
		if with := add(b, v); len(with) > len(b) {
			b = with
		} else {
			b = b[:n]
		}
	}
	return append(b, ']')
}

// flat returns an object in which one member is replaced by that member's own members.
func flat(object rawjson.Value, name string) rawjson.Value {
	inner := object.Get(name)
	if inner.Kind() != rawjson.Object {
		return object
	}
	b := rawjson.AppendQuoted([]byte(`{"type":`), object.Get("type").Text())
	for key, value := range inner.Members() {
		b = append(append(append(append(b, ','), key...), ':'), value...)
	}
	return append(b, '}')
}

func appendTool(dst []byte, tool rawjson.Value) []byte {
	for _, kind := range []string{"function", "custom"} {
		if tool.Get(kind).Kind() == rawjson.Object {
			return append(dst, flat(tool, kind)...)
		}
	}
	return append(dst, tool...)
}

// inputWriter is the state of converting one conversation.
type inputWriter struct {
	ids    map[string]string // of calls: the id that each gets in the converted request
	used   map[string]bool
	custom map[string]bool // the calls whose output is of another type
}

func (r *inputWriter) input(messages rawjson.Value) rawjson.Value {
	r.custom = map[string]bool{}
	return list(messages, func(dst []byte, m rawjson.Value) []byte {
		switch m.Get("role").Text() {
		case "assistant":
			return r.appendTurn(dst, m)
		case "tool":
			return r.appendOutput(dst, m.Get("tool_call_id"), m)
		case "function":
			return r.appendOutput(dst, m.Get("name"), m)
		}
		dst = append(append(dst, `{"type":"message","role":`...), m.Get("role")...)
		dst = append(append(dst, `,"content":`...), content(m.Get("content"), "input_text")...)
		return append(dst, '}')
	})
}

// appendTurn writes a message and its calls as items.
func (r *inputWriter) appendTurn(dst []byte, m rawjson.Value) []byte {
	start := len(dst)
	item := func(begin string) {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		dst = append(dst, begin...)
	}
	said := content(m.Get("content"), "output_text")
	refusal := m.Get("refusal")
	calls := m.Get("tool_calls")
	silent := string(said) == `""` || string(said) == `[]`
	if legacy := m.Get("function_call"); legacy.Kind() == rawjson.Object {
		id := append(append([]byte(`[{"id":`), legacy.Get("name")...), `,"function":`...)
		calls = append(append(id, legacy...), `}]`...)
	}
	switch {
	case refusal.Kind() == rawjson.String:
		item(`{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":`)
		dst = append(append(dst, refusal...), `}]}`...)
	case !silent || len(calls) <= len(`[]`):
		item(`{"type":"message","role":"assistant","content":`)
		dst = append(append(dst, said...), '}')
	}
	for call := range calls.Elements() {
		function, name, input := call.Get("function"), "function_call", "arguments"
		if custom := call.Get("custom"); custom.Kind() == rawjson.Object {
			function, name, input = custom, "custom_tool_call", "input"
		}
		id := r.open(call.Get("id").Text(), name == "custom_tool_call")
		item(`{"type":`)
		dst = append(append(rawjson.AppendQuoted(dst, name), `,"call_id":`...), id...)
		dst = append(append(dst, `,"name":`...), function.Get("name")...)
		dst = rawjson.AppendQuoted(append(dst, ','), input)
		dst = append(append(append(dst, ':'), function.Get(input)...), '}')
	}
	return dst
}

// open returns, as a JSON string, the id that a call gets in the converted request.
func (r *inputWriter) open(id string, custom bool) []byte {
	own := id
	for n := 2; r.used[own]; n++ {
		own = fmt.Sprintf("%s_%d", id, n)
	}
	r.used[own], r.ids[id], r.custom[own] = true, own, custom
	return rawjson.AppendQuoted(nil, own)
}

// appendOutput writes the result of the call with an id.
func (r *inputWriter) appendOutput(dst []byte, id, m rawjson.Value) []byte {
	own, ok := r.ids[id.Text()]
	if !ok {
		own = id.Text()
	}
	kind := "function_call_output"
	if r.custom[own] {
		kind = "custom_tool_call_output"
	}
	dst = append(rawjson.AppendQuoted(append(dst, `{"type":`...), kind), `,"call_id":`...)
	dst = append(rawjson.AppendQuoted(dst, own), `,"output":`...)
	dst = append(dst, content(m.Get("content"), "input_text")...)
	if name := m.Get("name"); name.Kind() == rawjson.String {
		dst = append(append(dst, `,"name":`...), name...)
	}
	return append(dst, '}')
}

// content returns a content with its parts as the other API names them. The model's text is always
// in parts.
func content(v rawjson.Value, text string) rawjson.Value {
	switch v.Kind() {
	case rawjson.Array:
		return list(v, func(dst []byte, part rawjson.Value) []byte {
			return append(dst, partOf(part, text)...)
		})
	case rawjson.String:
		if text == "output_text" && len(v) > len(`""`) {
			return append(append([]byte{'['}, textPart(v, text)...), ']')
		}
		return v
	}
	return rawjson.Value(`""`)
}

func textPart(s rawjson.Value, typ string) []byte {
	b := rawjson.AppendQuoted([]byte(`{"type":`), typ)
	b = append(append(b, `,"text":`...), s...)
	if typ == "output_text" {
		b = append(b, `,"annotations":[]`...)
	}
	return append(b, '}')
}

func partOf(part rawjson.Value, text string) rawjson.Value {
	switch {
	case part.Kind() == rawjson.String:
		return textPart(part, text)
	case part.Get("type").Is("text"):
		b := textPart(part.Get("text"), text)
		if part.Get("cache_control").Kind() == rawjson.Object && text == "input_text" {
			b = append(b[:len(b)-1], `,"prompt_cache_breakpoint":{"mode":"explicit"}}`...)
		}
		return b
	case part.Get("type").Is("image_url"):
		image := part.Get("image_url")
		b := append([]byte(`{"type":"input_image","image_url":`), image.Get("url")...)
		detail := image.Get("detail")
		if detail == nil {
			detail = rawjson.Value(`"auto"`)
		}
		return append(append(append(b, `,"detail":`...), detail...), '}')
	case part.Get("type").Is("file"):
		b := flat(part, "file")
		return append([]byte(`{"type":"input_file"`), b[len(`{"type":"file"`):]...)
	}
	return part
}
