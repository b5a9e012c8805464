package convert

import (
	"errors"
	"fmt"

	"killick/rawjson"
)

// ErrInstructs is the reason why a conversation cannot be converted to Google's generateContent: an
// instruction follows a message, where that API has no place for it.
var ErrInstructs = errors.New("an instruction follows a message")

// Gemini returns a chat request as one for Google's generateContent, as its clients send it:
// results are one content, in the order of their calls. The path names the model, so that it is
// left out.
//
// It fails with ErrUnanswered, ErrOrphan, ErrFirst or ErrInstructs if the API has no form for the
// conversation.
func Gemini(chat []byte) ([]byte, error) {
	w := geminiWriter{out: []byte{'['}}
	b := object{'{'}
	var config []byte
	for key, value := range rawjson.Value(chat).Members() {
		switch name := key.Text(); name {
		case "messages":
			for m := range value.Elements() {
				if err := w.message(m); err != nil {
					return nil, err
				}
			}
			if err := w.close(); err != nil {
				return nil, err
			}
			if len(w.system) > 0 {
				b.add("systemInstruction",
					append(append([]byte(`{"parts":[`), w.system...), `]}`...))
			}
			b.add("contents", append(w.out, ']'))
		case "tools":
			declared := list(value, appendGeminiTool)
			b.add(name, append(append([]byte(`[{"functionDeclarations":`), declared...), `}]`...))
		case "max_tokens", "max_completion_tokens":
			config = append(append([]byte(`{"maxOutputTokens":`), value...), '}')
		}
	}
	if config != nil {
		b.add("generationConfig", config)
	}
	return append(b, '}'), nil
}

func appendGeminiTool(dst []byte, tool rawjson.Value) []byte {
	function := tool.Get("function")
	b := described(function)
	if schema := function.Get("parameters"); schema.Kind() == rawjson.Object {
		b.add("parametersJsonSchema", schema)
	}
	return append(append(dst, b...), '}')
}

// geminiWriter is the state of converting one conversation.
type geminiWriter struct {
	out    []byte
	system []byte // parts of the leading instructions
	open   []geminiCall
}

// geminiCall is a call of the last turn of the model, with its result once it came.
type geminiCall struct {
	id, name string
	result   []byte
}

func (w *geminiWriter) message(m rawjson.Value) error {
	content := m.Get("content")
	switch role := m.Get("role").Text(); role {
	case "tool":
		return w.result(m.Get("tool_call_id").Text(), content)
	case "function":
		return w.result(m.Get("name").Text(), content)
	case "assistant":
		if len(w.out) == 1 {
			return ErrFirst
		}
		if err := w.close(); err != nil {
			return err
		}
		w.content("model", withCalls(geminiParts(content), m, w.call))
	case "user":
		if err := w.close(); err != nil {
			return err
		}
		w.content("user", geminiParts(content))
	default:
		if len(w.out) > 1 {
			return ErrInstructs
		}
		w.system = join(w.system, geminiParts(content))
	}
	return nil
}

// content writes a content. The API refuses one without parts.
func (w *geminiWriter) content(role string, parts []byte) {
	if len(w.out) > 1 {
		w.out = append(w.out, ", "...)
	}
	w.out = append(rawjson.AppendQuoted(append(w.out, `{"role":`...), role), `,"parts":[`...)
	w.out = append(append(w.out, filledUntyped(parts)...), `]}`...)
}

// close writes the results of the last turn.
func (w *geminiWriter) close() error {
	var parts []byte
	for _, c := range w.open {
		if c.result == nil {
			return ErrUnanswered
		}
		part := rawjson.AppendQuoted([]byte(`{"functionResponse":{"name":`), c.name)
		part = append(append(part, `,"response":{"output":`...), c.result...)
		parts = join(parts, append(part, `}}}`...))
	}
	if w.open = nil; parts != nil {
		w.content("user", parts)
	}
	return nil
}

func (w *geminiWriter) call(id string, function rawjson.Value) []byte {
	w.open = append(w.open, geminiCall{id: id, name: function.Get("name").Text()})
	b := append([]byte(`{"functionCall":{"name":`), function.Get("name")...)
	return append(append(append(b, `,"args":`...), argumentsOf(function)...), `}}`...)
}

// result records the result of a call.
func (w *geminiWriter) result(id string, content rawjson.Value) error {
	for i := range w.open {
		if w.open[i].id != id || w.open[i].result != nil {
			continue
		}
		if w.open[i].result = content; content.Kind() != rawjson.String {
			var text []byte
			for part := range content.Elements() {
				if len(text) > 0 {
					text = append(text, '\n')
				}
				text = part.Get("text").AppendText(text)
			}
			w.open[i].result = rawjson.AppendQuoted(nil, string(text))
		}
		return nil
	}
	return ErrOrphan
}

// geminiParts returns the parts of a content without the brackets, nothing for an empty one.
func geminiParts(content rawjson.Value) []byte {
	return untyped(content, func(media, data []byte) []byte {
		return fmt.Appendf(nil, `{"inlineData":{"mimeType":"%s","data":"%s"}}`, media, data)
	})
}
