package convert

import (
	"bytes"
	"fmt"

	"killick/rawjson"
)

// Converse returns a chat request as one for Amazon Bedrock's Converse, as its clients send it:
// consecutive messages of the user, and results before them, are one message. The path names the
// model, so that it is left out.
//
// It fails with ErrUnanswered, ErrOrphan, ErrFirst or ErrInstructs if the API has no form for the
// conversation.
func Converse(chat []byte) ([]byte, error) {
	w := converseWriter{out: []byte{'['}}
	b := object{'{'}
	for key, value := range rawjson.Value(chat).Members() {
		switch name := key.Text(); name {
		case "messages":
			for m := range value.Elements() {
				if err := w.message(m); err != nil {
					return nil, err
				}
			}
			if w.close(); len(w.open) > 0 {
				return nil, ErrUnanswered
			}
			if len(w.system) > 0 {
				b.add("system", append(append([]byte{'['}, w.system...), ']'))
			}
			b.add("messages", append(w.out, ']'))
		case "tools":
			b.add("toolConfig",
				append(append([]byte(`{"tools":`), list(value, appendToolSpec)...), '}'))
		case "max_tokens", "max_completion_tokens":
			b.add("inferenceConfig", append(append([]byte(`{"maxTokens":`), value...), '}'))
		}
	}
	return append(b, '}'), nil
}

func appendToolSpec(dst []byte, tool rawjson.Value) []byte {
	function := tool.Get("function")
	b := described(function)
	schema := function.Get("parameters")
	if schema.Kind() != rawjson.Object {
		schema = rawjson.Value(`{"type":"object"}`)
	}
	b.add("inputSchema", append(append([]byte(`{"json":`), schema...), '}'))
	return append(append(append(dst, `{"toolSpec":`...), b...), `}}`...)
}

// converseWriter is the state of converting one conversation.
type converseWriter struct {
	out    []byte
	system []byte   // blocks of the leading instructions
	turn   []byte   // blocks of the user's turn that is being written
	open   []string // the ids of calls of the last message without a result
}

func (w *converseWriter) message(m rawjson.Value) error {
	content := m.Get("content")
	switch role := m.Get("role").Text(); {
	case role == "tool":
		return w.result(m.Get("tool_call_id").Text(), content)
	case role == "function":
		return w.result(m.Get("name").Text(), content)
	case len(w.open) > 0:
		return ErrUnanswered
	case role == "assistant" && len(w.out) == 1 && len(w.turn) == 0:
		return ErrFirst
	case role == "assistant":
		w.close()
		w.element("assistant", withCalls(converseBlocks(content), m, w.call))
	case role == "user":
		if blocks := converseBlocks(content); len(blocks) > 0 || len(w.turn) == 0 {
			w.turn = join(w.turn, filledUntyped(blocks))
		}
	case len(w.out) > 1 || len(w.turn) > 0:
		return ErrInstructs
	default:
		w.system = join(w.system, converseBlocks(content))
	}
	return nil
}

// element writes a message. The API refuses one without blocks.
func (w *converseWriter) element(role string, blocks []byte) {
	if len(w.out) > 1 {
		w.out = append(w.out, ", "...)
	}
	w.out = append(rawjson.AppendQuoted(append(w.out, `{"role":`...), role), `,"content":[`...)
	w.out = append(append(w.out, filledUntyped(blocks)...), `]}`...)
}

// close writes the user's turn.
func (w *converseWriter) close() {
	if len(w.turn) > 0 {
		w.element("user", w.turn)
	}
	w.turn = nil
}

func (w *converseWriter) call(id string, function rawjson.Value) []byte {
	w.open = append(w.open, id)
	b := rawjson.AppendQuoted([]byte(`{"toolUse":{"toolUseId":`), id)
	b = append(append(b, `,"name":`...), function.Get("name")...)
	return append(append(append(b, `,"input":`...), argumentsOf(function)...), `}}`...)
}

// result writes the result of a call.
func (w *converseWriter) result(id string, content rawjson.Value) error {
	for i := range w.open {
		if w.open[i] != id {
			continue
		}
		w.open = append(w.open[:i:i], w.open[i+1:]...)
		b := rawjson.AppendQuoted([]byte(`{"toolResult":{"toolUseId":`), id)
		b = append(append(b, `,"content":[`...), converseBlocks(content)...)
		w.turn = join(w.turn, append(b, `]}}`...))
		return nil
	}
	return ErrOrphan
}

// converseBlocks returns the blocks of a content without the brackets, nothing for an empty one.
func converseBlocks(content rawjson.Value) []byte {
	return untyped(content, func(media, data []byte) []byte {
		return fmt.Appendf(nil, `{"image":{"format":"%s","source":{"bytes":"%s"}}}`,
			bytes.TrimPrefix(media, []byte("image/")), data)
	})
}
