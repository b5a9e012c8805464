package aschat

import (
	"fmt"

	"killick/chat"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// Convert returns a request as a chat request. A chat request is returned as it is.
func Convert(body rawjson.Value, format view.Format) (rawjson.Value, error) {
	if format == chat.Format {
		return body, nil
	}
	if format == responses.Format && isText(body) {
		body = withMessage(body)
	}
	req, err := view.Parse(format, body)
	if err != nil {
		return nil, fmt.Errorf("a request in the format %s: %w", format.Name(), err)
	}
	w := writer{out: []byte{'{'}}
	if id := req.Field("id"); id != nil {
		w.member("id", id)
	}
	if model := req.Model(); model != "" {
		w.member("model", rawjson.AppendQuoted(nil, model))
	}
	if tools := req.Preamble().Tools; len(tools) > 0 && tools[0].Kind() == rawjson.Array {
		w.member("tools", appendTools(nil, tools))
	}
	w.member("messages", appendMessages(nil, req))
	return append(w.out, '}'), nil
}

// withMessage returns a body whose input is a string with a user message of that text instead.
func withMessage(body rawjson.Value) rawjson.Value {
	w := writer{out: []byte{'{'}}
	for key, value := range body.Members() {
		if key.Is("input") {
			message := writer{out: []byte(`[{"role":"user"`)}
			message.member("content", value)
			message.out = append(message.out, "}]"...)
			value = message.out
		}
		w.member(key.Text(), value)
	}
	return append(w.out, '}')
}

// writer writes one object.
type writer struct{ out []byte }

func (w *writer) member(name string, value []byte) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(append(rawjson.AppendQuoted(w.out, name), ':'), value...)
}

func (w *writer) text(name, value string) { w.member(name, rawjson.AppendQuoted(nil, value)) }

// appendTools appends definitions of functions in the form of chat, and other tools as they are.
func appendTools(dst []byte, lists []rawjson.Value) []byte {
	dst = append(dst, '[')
	for _, tools := range lists {
		for tool := range tools.Elements() {
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			dst = appendTool(dst, tool)
		}
	}
	return append(dst, ']')
}

// schemas are the members that hold the parameters of a function.
var schemas = [...]string{"parameters", "input_schema", "parametersJsonSchema"}

func appendTool(dst []byte, tool rawjson.Value) []byte {
	var schema rawjson.Value
	if spec := tool.Get("toolSpec"); spec != nil {
		tool, schema = spec, spec.Get("inputSchema").Get("json")
	}
	for _, name := range schemas {
		if schema == nil {
			schema = tool.Get(name)
		}
	}
	name := tool.Get("name")
	if name == nil || schema == nil {
		return append(dst, tool...)
	}
	function := writer{out: []byte(`{"type":"function","function":{`)}
	function.member("name", name)
	if text := tool.Get("description"); text != nil {
		function.member("description", text)
	}
	function.member("parameters", schema)
	return append(append(dst, function.out...), "}}"...)
}

func appendMessages(dst []byte, req *view.Request) []byte {
	dst = append(dst, '[')
	add := func(message []byte) {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = append(dst, message...)
	}
	for _, text := range req.Preamble().Instructions {
		w := writer{out: []byte(`{"role":"system"`)}
		w.member("content", text)
		add(append(w.out, '}'))
	}
	list := req.Messages()
	for i := range list {
		add(message(&list[i]))
	}
	return append(dst, ']')
}

// message returns one message in the form of chat.
func message(m *view.Message) []byte {
	w := writer{out: []byte{'{'}}
	w.text("role", string(m.Role()))
	if m.Role().Result() {
		w.text("tool_call_id", m.ToolCallID())
		if m.Is(view.Failed) {
			w.member("is_error", []byte("true")) // decisions depend on it
		} else if stated := m.Field("is_error"); stated != nil {
			w.member("is_error", stated)
		}
	}
	w.member("content", content(m))
	if calls := m.ToolCalls(); len(calls) > 0 {
		list := []byte{'['}
		for i := range calls {
			if i > 0 {
				list = append(list, ',')
			}
			list = appendCall(list, &calls[i])
		}
		w.member("tool_calls", append(list, ']'))
	}
	return append(w.out, '}')
}

func appendCall(dst []byte, c *view.ToolCall) []byte {
	kind, arguments := "function", "arguments"
	if c.Type == "custom" {
		kind, arguments = "custom", "input"
	}
	call := writer{out: []byte{'{'}}
	call.text("id", c.ID)
	call.text("type", kind)
	function := writer{out: []byte{'{'}}
	function.text("name", c.Name)
	function.text(arguments, c.Text())
	call.member(kind, append(function.out, '}'))
	return append(append(dst, call.out...), '}')
}

// content returns the content of a message: a string, or parts if there is more than text. Of the
// model's messages it keeps only the text.
func content(m *view.Message) []byte {
	if m.Role() == view.Assistant || m.OnlyText() {
		text := m.Text()
		if text == "" && m.HasCalls() {
			return []byte("null")
		}
		return rawjson.AppendQuoted(nil, text)
	}
	parts := []byte{'['}
	for part := range m.Parts() {
		if len(parts) > 1 {
			parts = append(parts, ',')
		}
		if part.Text == nil {
			if part.Raw.Kind() == rawjson.String { // an image of Ollama's
				part.Raw = fmt.Appendf(nil, `{"type":"image_url","image_url":{"url":`+
					`"data:image/png;base64,%s"}}`, part.Raw.StringBody())
			}
			parts = append(parts, part.Raw...)
			continue
		}
		w := writer{out: []byte(`{"type":"text"`)}
		w.member("text", part.Text)
		parts = append(append(parts, w.out...), '}')
	}
	return append(parts, ']')
}
