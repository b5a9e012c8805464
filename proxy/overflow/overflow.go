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

// Read parses the decoded body of an error. It returns nil unless the error says that the request
// is too long, or rejects its reasoning or a provider's summary.
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
