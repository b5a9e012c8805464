// Package overflow recognises an upstream's error that a request is too long for its model, in any
// provider's wording, and parses the numbers in it. It also recognises errors that reject the
// reasoning in a request, or a summary by the provider's API.
// It takes a status and a body and does no I/O; it never reads text that an error echoes from the
// request, and never mistakes a rate limit or a quota for an overflow.
package overflow

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"killick/compaction"
	"killick/rawjson"
)

// Refusal is an upstream's rejection of a request that is too long.
type Refusal struct {
	compaction.Overflow
	Provider string // the source of the wording: a fixed word, for the log
	// Reasoning means that not the length is rejected, but signed or encrypted reasoning of
	// earlier turns, which the upstream cannot verify.
	Reasoning bool
	// Summary means that a summary by the provider is rejected, or its mandatory header.
	Summary bool
}

// Possible reports whether a status can mean that a request is too long. The others have other
// meanings, whatever their message.
func Possible(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden,
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status >= 400
}

// IsError reports whether an event or a body of a reply with status 200 is an error
// rather than a part of an answer.
func IsError(data []byte) bool {
	v := rawjson.Value(bytes.TrimSpace(data))
	if v.Kind() != rawjson.Object {
		return false
	}
	if e := v.Get("error").Kind(); e == rawjson.Object || e == rawjson.String {
		return true
	}
	kind := v.Get("type")
	return v.Get("object").Is("error") || kind.Is("error") || kind.Is("response.failed")
}

// Read reads an error's body, decoded, and returns what it says of a request that is
// too long, or of its reasoning; nil if it says something else.
func Read(status int, body []byte) *Refusal {
	if !Possible(status) {
		return nil
	}
	var e parsedError
	if json.Valid(body) {
		e.read(rawjson.Value(strings.TrimSpace(string(body))), 0)
	} else {
		e.texts = []string{string(body)}
	}
	if provider := e.reasoning(); provider != "" {
		return &Refusal{Provider: provider, Reasoning: true}
	}
	if n := e.overflow(); n != nil {
		return n.refusal()
	}
	if provider := e.summary(status); provider != "" {
		return &Refusal{Provider: provider, Summary: true}
	}
	return nil
}

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

// text takes a message, and what is in it where it is an error itself, as gateways
// hand on the errors of their upstreams.
func (e *parsedError) text(text string, depth int) {
	e.texts = append(e.texts, text)
	inner := strings.TrimSpace(text)
	if len(inner) <= maxText && strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
		e.read(rawjson.Value(inner), depth+1)
	}
}

func (e *parsedError) overflow() *numbers {
	for _, list := range [][]string{e.codes, e.texts} {
		for _, text := range list {
			if otherLimit.MatchString(text[:min(len(text), maxText)]) {
				return nil
			}
		}
	}
	found := e.byWording()
	if found == nil {
		found = e.byCode()
	}
	if found != nil {
		for group, n := range e.fields {
			found.set(group, n)
		}
	}
	return found
}

// byWording returns the first message that matches a row, one with numbers before one
// without.
func (e *parsedError) byWording() (found *numbers) {
	for _, text := range e.texts {
		n := match(text)
		if n != nil && (found == nil || found.refusal().Overflow == compaction.Overflow{}) {
			found = n
		}
	}
	return found
}

// byCode matches by error codes, including those quoted in a message.
func (e *parsedError) byCode() *numbers {
	for _, known := range codes {
		if slices.Contains(e.codes, known.code) {
			return &numbers{provider: known.name}
		}
		for _, text := range e.texts {
			head := strings.ToLower(text[:min(len(text), maxText)])
			if len(known.code) > 8 && strings.Contains(head, known.code) {
				return &numbers{provider: known.name}
			}
		}
	}
	return nil
}

// numbers are the numbers in an error, as written.
type numbers struct {
	provider string
	stated   compaction.Overflow
	total    int // prompt and completion together
}

func (n *numbers) set(group string, tokens int) {
	switch group {
	case "window":
		n.stated.Window = tokens
	case "input":
		n.stated.Input = tokens
	case "prompt":
		n.stated.Prompt = tokens
	case "output":
		n.stated.Output = tokens
	case "total":
		n.total = tokens
	case "over":
		n.stated.Over = tokens
	}
}

// refusal derives the missing numbers.
func (n *numbers) refusal() *Refusal {
	o := n.stated
	if o.Prompt == 0 {
		o.Prompt = max(0, n.total-o.Output)
	}
	return &Refusal{Overflow: o, Provider: n.provider}
}
