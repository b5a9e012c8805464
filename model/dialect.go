package model

import (
	"net/http"
	"strings"
	"sync"
)

// dialect is what an endpoint's model understands of the API. The zero dialect
// is the newest.
type dialect struct {
	format format
	bound  bound
}

// format is how the shape of an answer is asked for, beside the prompt.
type format int

const (
	jsonSchema format = iota // response_format json_schema, strict
	jsonObject               // response_format json_object
	noFormat                 // the prompt alone
)

// bound is the name of the member that bounds an answer.
type bound int

const (
	maxCompletionTokens bound = iota // OpenAI since its reasoning models
	maxTokens                        // before, and most others
	noBound
)

// lower returns the next older dialect that may understand what a request
// written in d was refused for, and whether the endpoint named the member that
// it does not know. ok is false where there is none to try. formatted and
// bounded tell what of d the request had.
func (d dialect) lower(status int, words string, formatted, bounded bool) (next dialect, named, ok bool) {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return d, false, false
	}
	words = strings.ToLower(words)
	switch {
	case formatted && d.format < noFormat && holdsAny(words, formatWords):
		d.format++
		return d, true, true
	case bounded && d.bound < noBound && holdsAny(words, boundWords):
		d.bound++
		return d, true, true
	case formatted && d.format < noFormat && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		d.format++
		return d, false, true
	}
	return d, false, false
}

// The words by which endpoints name the members that they do not know, as their
// error messages are quoted in public bug reports: OpenAI, Azure, Groq,
// DeepSeek, vLLM, llama.cpp, LM Studio.
var (
	formatWords = []string{"response_format", "response format", "json_schema", "json_object", "structured output", "grammar", "guided"}
	boundWords  = []string{"max_completion_tokens", "max_tokens"}
)

func holdsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// dialects are what was learnt, by endpoint and model.
type dialects struct {
	mu  sync.Mutex
	all map[string]dialect
}

func (d *dialects) of(e endpoint) dialect {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[e.name()]
}

func (d *dialects) learn(e endpoint, known dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil || len(d.all) >= mostEndpoints {
		d.all = map[string]dialect{}
	}
	d.all[e.name()] = known
}
