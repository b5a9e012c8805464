package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"killick/chat"
	"killick/compaction"
)

// overflow is a [compaction.Overflow] with what only the recognition knows of it.
type overflow struct {
	compaction.Overflow
	provider string // whose words they are
	total    int    // prompt and completion together
}

func (o *overflow) set(group string, n int) {
	switch group {
	case "window":
		o.Window = n
	case "input":
		o.Input = n
	case "prompt":
		o.Prompt = n
	case "output":
		o.Output = n
	case "total":
		o.total = n
	case "over":
		o.Over = n
	}
}

// said works out what the numbers leave open.
func (o *overflow) said() compaction.Overflow {
	s := o.Overflow
	if s.Prompt == 0 {
		s.Prompt = max(0, o.total-o.Output)
	}
	return s
}

// mayOverflow tells whether a status can stand for a request that is too long.
// The others have one meaning each, whatever words come with them.
func mayOverflow(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
		http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status >= 400
}

// overflowOf reads an error's body, decoded, and tells what it says of a request
// that is too long; nil if it says something else.
func overflowOf(status int, body []byte) *overflow {
	if !mayOverflow(status) {
		return nil
	}
	var e errorSaid
	if json.Valid(body) {
		e.read(chat.Value(strings.TrimSpace(string(body))), 0)
	} else {
		e.texts = []string{string(body)}
	}
	return e.overflow()
}

// errorSaid is what an upstream's error consists of, whichever of the common
// shapes it has: OpenAI's {"error":{…}}, the same without the outer object (vLLM,
// Mistral), in a list (Gemini), a bare string (Ollama, xAI) or under "detail"
// (gateways). What an error echoes of the request is not read: a prompt may quote
// any error.
type errorSaid struct {
	codes  []string
	texts  []string
	fields map[string]int
}

// mostNested is how deep errors are wrapped in errors.
const mostNested = 4

func (e *errorSaid) read(v chat.Value, depth int) {
	if depth > mostNested {
		return
	}
	switch v.Kind() {
	case chat.String:
		e.text(v.Text(), depth)
	case chat.Array:
		for element := range v.Elements() {
			e.read(element, depth+1)
			break // a list holds one error
		}
	case chat.Object:
		for key, value := range v.Members() {
			e.member(key.Text(), value, depth)
		}
	}
}

func (e *errorSaid) member(key string, value chat.Value, depth int) {
	switch key {
	case "error", "detail", "message", "metadata", "raw", "msg":
		e.read(value, depth+1)
	case "code", "type":
		if value.Kind() == chat.String {
			e.codes = append(e.codes, strings.ToLower(value.Text()))
		} else if value.Kind() == chat.Number {
			e.codes = append(e.codes, string(value))
		}
	default:
		if group, ok := overflowFields[key]; ok {
			if n, whole := value.Int(); whole && n <= maxTokensSaid {
				if e.fields == nil {
					e.fields = map[string]int{}
				}
				e.fields[group] = n
			}
		}
	}
}

// text takes a message, and what is in it where it is an error itself, as
// gateways hand on what their upstream said.
func (e *errorSaid) text(text string, depth int) {
	e.texts = append(e.texts, text)
	if inner := strings.TrimSpace(text); len(inner) <= mostSaid && strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
		e.read(chat.Value(inner), depth+1)
	}
}

func (e *errorSaid) overflow() *overflow {
	for _, said := range [][]string{e.codes, e.texts} {
		for _, text := range said {
			if noOverflow.MatchString(text[:min(len(text), mostSaid)]) {
				return nil
			}
		}
	}
	found := e.worded()
	if found == nil {
		found = e.coded()
	}
	if found != nil {
		for group, n := range e.fields {
			found.set(group, n)
		}
	}
	return found
}

// worded returns the first message that is one of the rows, one with numbers
// before one without.
func (e *errorSaid) worded() (found *overflow) {
	for _, text := range e.texts {
		if o := overflowIn(text); o != nil && (found == nil || found.said() == compaction.Overflow{}) {
			found = o
		}
	}
	return found
}

// coded goes by the codes, and by those that a message quotes.
func (e *errorSaid) coded() *overflow {
	for _, known := range overflowCodes {
		if slices.Contains(e.codes, known.code) {
			return &overflow{provider: known.name}
		}
		for _, text := range e.texts {
			if len(known.code) > 8 && strings.Contains(strings.ToLower(text[:min(len(text), mostSaid)]), known.code) {
				return &overflow{provider: known.name}
			}
		}
	}
	return nil
}
