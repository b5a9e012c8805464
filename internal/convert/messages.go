package convert

import (
	"bytes"
	"errors"
	"fmt"

	"killick/rawjson"
)

// The reasons why a conversation cannot be converted to the Messages API.
var (
	ErrUnanswered = errors.New("a call is not answered directly behind it")
	ErrOrphan     = errors.New("a result answers no call of the message before")
	ErrFirst      = errors.New("the first message is not the user's")
)

// Messages returns a chat request as one for the Messages API, as its clients send it: results and
// what the user writes after them are one message. Ids of calls that the API would refuse are
// changed, and instructions after the first messages get the role system.
//
// It fails with ErrUnanswered, ErrOrphan or ErrFirst if the API refuses the conversation.
func Messages(chat []byte) ([]byte, error) {
	w := messagesWriter{used: map[string]bool{}}
	b, limit := object{'{'}, []byte(`8192`)
	for key, value := range rawjson.Value(chat).Members() {
		switch name := key.Text(); name {
		case "messages":
			messages, err := w.messages(value)
			if err != nil {
				return nil, err
			}
			if len(w.system) > 0 {
				b.add("system", append(append([]byte{'['}, w.system...), ']'))
			}
			b.add("messages", messages)
		case "tools":
			b.add(name, list(value, appendClaudeTool))
		case "max_tokens", "max_completion_tokens":
			limit = value
		case "stop":
			if value.Kind() == rawjson.String {
				value = append(append([]byte{'['}, value...), ']')
			}
			b.add("stop_sequences", value)
		case "model", "stream", "temperature", "top_p":
			b.add(name, value)
		}
	}
	b.add("max_tokens", limit)
	return append(b, '}'), nil
}

// object is a JSON object that is being written, without its end.
type object []byte

func (o *object) add(name string, value []byte) {
	if len(*o) > 1 {
		*o = append(*o, ',')
	}
	*o = append(append(rawjson.AppendQuoted(*o, name), ':'), value...)
}

// described returns the beginning of a tool: its name and its description.
func described(function rawjson.Value) object {
	b := object{'{'}
	b.add("name", function.Get("name"))
	if text := function.Get("description"); text.Kind() == rawjson.String {
		b.add("description", text)
	}
	return b
}

func appendClaudeTool(dst []byte, tool rawjson.Value) []byte {
	function := tool.Get("function")
	b := described(function)
	schema := function.Get("parameters")
	if schema.Kind() != rawjson.Object {
		schema = rawjson.Value(`{"type":"object"}`)
	}
	b.add("input_schema", schema)
	return append(append(dst, b...), '}')
}

// messagesWriter is the state of converting one conversation.
type messagesWriter struct {
	out     []byte
	system  []byte // blocks of the leading instructions
	used    map[string]bool
	open    []openCall // calls of the last message without a result
	results bool       // a message with results is being written
}

// openCall is a call without a result: its id in the chat request, and in the converted one.
type openCall struct{ id, own string }

func (w *messagesWriter) messages(list rawjson.Value) ([]byte, error) {
	w.out = []byte{'['}
	for m := range list.Elements() {
		if err := w.message(m); err != nil {
			return nil, err
		}
	}
	w.close()
	if len(w.open) > 0 {
		return nil, ErrUnanswered
	}
	return append(w.out, ']'), nil
}

func (w *messagesWriter) message(m rawjson.Value) error {
	role, content := m.Get("role").Text(), m.Get("content")
	switch {
	case role == "tool":
		return w.result(m.Get("tool_call_id").Text(), m)
	case role == "function":
		return w.result(m.Get("name").Text(), m)
	case len(w.open) > 0:
		return ErrUnanswered
	}
	switch blocks := blocksOf(content); {
	case role == "assistant" && len(w.out) == 1:
		return ErrFirst
	case role == "assistant":
		w.element("assistant", content, withCalls(blocks, m, w.call))
	case role == "user" && w.results:
		w.out = append(append(w.out, ", "...), filled(blocks)...)
		w.close()
	case role == "user":
		w.element("user", content, blocks)
	case len(w.out) == 1:
		w.system = join(w.system, blocks)
	default:
		w.element("system", content, blocks)
	}
	return nil
}

// element writes a message of blocks; if the content is a string, as a string.
func (w *messagesWriter) element(role string, content rawjson.Value, blocks []byte) {
	w.close()
	w.begin(role)
	if bytes.Equal(blocks, textBlock(content)) && len(blocks) > 0 {
		w.out = append(append(w.out, content...), '}')
		return
	}
	w.out = append(append(append(w.out, '['), filled(blocks)...), `]}`...)
}

// begin begins a message, up to its content.
func (w *messagesWriter) begin(role string) {
	if len(w.out) > 1 {
		w.out = append(w.out, ", "...)
	}
	w.out = append(rawjson.AppendQuoted(append(w.out, `{"role":`...), role), `,"content":`...)
}

// close ends the message with results.
func (w *messagesWriter) close() {
	if w.results {
		w.out = append(w.out, `]}`...)
	}
	w.results = false
}

// withCalls appends to the blocks of an assistant message its calls, as one writes each.
func withCalls(
	blocks []byte, m rawjson.Value, one func(id string, function rawjson.Value) []byte,
) []byte {
	for call := range m.Get("tool_calls").Elements() {
		blocks = join(blocks, one(call.Get("id").Text(), call.Get("function")))
	}
	if legacy := m.Get("function_call"); legacy.Kind() == rawjson.Object {
		blocks = join(blocks, one(legacy.Get("name").Text(), legacy))
	}
	return blocks
}

func (w *messagesWriter) call(id string, function rawjson.Value) []byte {
	clean := []byte(id)
	for i, c := range clean {
		if c != '_' && c != '-' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			clean[i] = '_'
		}
	}
	own := string(clean)
	for n := 2; w.used[own] || own == ""; n++ {
		own = fmt.Sprintf("%s_%d", clean, n)
	}
	w.used[own] = true
	w.open = append(w.open, openCall{id, own})
	b := rawjson.AppendQuoted([]byte(`{"type":"tool_use","id":`), own)
	b = append(append(b, `,"name":`...), function.Get("name")...)
	return append(append(append(b, `,"input":`...), argumentsOf(function)...), '}')
}

// argumentsOf returns the arguments of a call as an object, wrapped in one if they are none.
func argumentsOf(function rawjson.Value) []byte {
	arguments := function.Get("arguments")
	object := bytes.TrimSpace(arguments.AppendText(nil))
	end, err := rawjson.Skip(object, 0)
	if rawjson.Value(object).Kind() != rawjson.Object || err != nil || end != len(object) {
		object = append(append([]byte(`{"arguments":`), arguments...), '}')
	}
	return object
}

// result writes the result of a call.
func (w *messagesWriter) result(id string, m rawjson.Value) error {
	for i, call := range w.open {
		if call.id != id {
			continue
		}
		w.open = append(w.open[:i:i], w.open[i+1:]...)
		b := rawjson.AppendQuoted([]byte(`{"type":"tool_result","tool_use_id":`), call.own)
		b = append(b, `,"content":`...)
		if text := m.Get("content"); text.Kind() == rawjson.String {
			b = append(b, text...)
		} else {
			b = append(append(append(b, '['), blocksOf(text)...), ']')
		}
		if w.results {
			w.out = append(w.out, ", "...)
		} else {
			w.begin("user")
			w.out = append(w.out, '[')
		}
		w.results = true
		w.out = append(append(w.out, b...), '}')
		return nil
	}
	return ErrOrphan
}

// blocksOf returns the blocks of a content without the brackets, nothing for an empty one.
func blocksOf(content rawjson.Value) (blocks []byte) {
	if content.Kind() == rawjson.String {
		return textBlock(content)
	}
	for part := range content.Elements() {
		switch typ := part.Get("type"); {
		case part.Kind() == rawjson.String:
			blocks = join(blocks, textBlock(part))
		case typ.Is("text"):
			blocks = join(blocks, textBlock(part.Get("text")))
		case typ.Is("image_url"):
			blocks = join(blocks, imageBlock(part.Get("image_url").Get("url")))
		}
	}
	return blocks
}

// textBlock returns a block of text, nothing for text that the API considers empty.
func textBlock(text rawjson.Value) []byte {
	return textIn(`{"type":"text","text":`, text)
}

func textIn(begin string, text rawjson.Value) []byte {
	if text.Kind() != rawjson.String || len(bytes.TrimSpace(text.AppendText(nil))) == 0 {
		return nil
	}
	return append(append([]byte(begin), text...), '}')
}

func imageBlock(url rawjson.Value) []byte {
	meta, data, inline := bytes.Cut(url.StringBody(), []byte(";base64,"))
	if typ, ok := bytes.CutPrefix(meta, []byte("data:")); ok && inline {
		return fmt.Appendf(nil, `{"type":"image","source":`+
			`{"type":"base64","media_type":"%s","data":"%s"}}`, typ, data)
	}
	return append(append([]byte(`{"type":"image","source":{"type":"url","url":`), url...), `}}`...)
}

// filled returns blocks, or one that stands for none: the API refuses a message without any.
func filled(blocks []byte) []byte {
	if len(blocks) == 0 {
		return []byte(`{"type":"text","text":"(empty)"}`)
	}
	return blocks
}

func join(blocks, more []byte) []byte {
	if len(blocks) > 0 && len(more) > 0 {
		blocks = append(blocks, ", "...)
	}
	return append(blocks, more...)
}
