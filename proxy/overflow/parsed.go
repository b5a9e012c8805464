package overflow

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
)

// parsedError is an upstream's error in any of the common shapes: OpenAI's {"error":{…}}, the same
// without the outer object (vLLM, Mistral), in a list (Gemini), a bare string (Ollama, xAI), under
// "detail" (gateways) or in the failed response of a stream (OpenAI Responses). What an error
// echoes of the request is not read: a prompt may quote any error.
type parsedError struct {
	codes  []string
	texts  []string
	fields map[string]int
}

// maxNested is how deep errors are wrapped in errors.
const maxNested = 4

func (e *parsedError) read(v rawjson.Value, depth int) {
	if depth > maxNested {
		return
	}
	switch v.Kind() {
	case rawjson.String:
		e.text(v.Text(), depth)
	case rawjson.Array:
		for element := range v.Elements() {
			e.read(element, depth+1)
			break // a list holds one error
		}
	case rawjson.Object:
		for key, value := range v.Members() {
			e.member(key.Text(), value, depth)
		}
	}
}

func (e *parsedError) member(key string, value rawjson.Value, depth int) {
	switch key {
	case "error", "detail", "message", "metadata", "raw", "msg":
		e.read(value, depth+1)
	case "details": // Anthropic's; others have lists
		if code := value.Get("error_code"); code.Kind() == rawjson.String {
			e.codes = append(e.codes, strings.ToLower(code.Text()))
		}
	case "response": // its metadata are the client's own
		if value.Kind() == rawjson.Object {
			e.read(value.Get("error"), depth+1)
		}
	case "code", "type":
		if value.Kind() == rawjson.String {
			e.codes = append(e.codes, strings.ToLower(value.Text()))
		} else if value.Kind() == rawjson.Number {
			e.codes = append(e.codes, string(value))
		}
	default:
		group, ok := numberFields[key]
		if !ok {
			return
		}
		if n, whole := value.Int(); whole && n <= maxTokens {
			if e.fields == nil {
				e.fields = map[string]int{}
			}
			e.fields[group] = n
		}
	}
}

// text adds a message. If the message is itself an error, as gateways pass on those of their
// upstreams, it adds the messages in it too.
func (e *parsedError) text(text string, depth int) {
	e.texts = append(e.texts, text)
	inner := strings.TrimSpace(text)
	if len(inner) <= maxText && strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
		e.read(rawjson.Value(inner), depth+1)
	}
}
