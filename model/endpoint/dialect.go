package endpoint

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// dialect is the part of the API that an endpoint's model supports. The zero dialect is
// the newest.
type dialect struct {
	shape shape
	bound bound
	// strict is set for chat templates that require alternating turns: in append a model turn
	// precedes our instruction, standalone there is no system message.
	strict bool
	// noSummary is set for endpoints that do not write summaries.
	noSummary bool
}

// shape is how the shape of an answer is requested, besides the prompt.
type shape int

const (
	jsonSchema shape = iota // response_format json_schema, strict
	jsonObject              // response_format json_object
	noShape                 // the prompt alone
)

// bound is the name of the member that bounds an answer.
type bound int

const (
	maxCompletionTokens bound = iota // OpenAI since its reasoning models
	maxTokens                        // before, and most others
	noBound
)

// mayNotUnderstand are the statuses with which endpoints reject unknown members. With some,
// failing chat templates give 500.
var mayNotUnderstand = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity,
	http.StatusNotImplemented, http.StatusInternalServerError,
}

// older returns the next older dialect that may be accepted after w, a request written in
// d, was rejected, and whether the endpoint named what it does not know. ok is false if
// there is none to try.
func (d dialect) older(why rejection, w written) (next dialect, named, ok bool) {
	if !slices.Contains(mayNotUnderstand, why.status) {
		return d, false, false
	}
	words := strings.ToLower(why.words)
	switch {
	case w.formatted && d.shape < noShape && containsAny(words, formatWords):
		d.shape++
		return d, true, true
	case w.bounded && containsAny(words, boundWords) && !strings.Contains(words, filledWords):
		d.bound++
		if w.lastBound {
			d.bound = noBound
		}
		return d, true, true
	case !d.strict && containsAny(words, strictWords):
		d.strict = true
		return d, true, true
	case why.status == http.StatusInternalServerError, why.status == http.StatusNotFound,
		containsAny(words, tooLongWords), containsAny(words, filterWords):
		return d, false, false
	case w.formatted && d.shape < noShape:
		d.shape++
		return d, false, true
	}
	return d, false, false
}

// The words with which endpoints name what they do not know, from error messages in public
// bug reports: OpenAI, Azure, Groq, DeepSeek, vLLM, llama.cpp, LM Studio.
var (
	formatWords = []string{
		"response_format", "response format", "json_schema", "json_object", "structured output",
		"text.format", "grammar", "guided",
	}
	boundWords = []string{
		"max_completion_tokens", "max_tokens", "max_output_tokens", "max output tokens",
	}
	strictWords = []string{
		"roles must alternate", "unexpected role", "system role", "expected last role",
	}
	filterWords = []string{"content_filter", "content management policy"}
)

// containsAny reports whether text contains one of the words.
func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// dialects are the learned dialects, by endpoint and model.
type dialects struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]dialect
}

func (d *dialects) get(t Target) dialect {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[t.name()]
}

func (d *dialects) learn(t Target, known dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil || len(d.all) >= maxEndpoints {
		d.all = map[[sha256.Size]byte]dialect{}
	}
	d.all[t.name()] = known
}

// filledWords match Anthropic's error that names the answer's bound but is about the window:
// "input length and `max_tokens` exceed context limit".
const filledWords = "exceed context limit"

// tooLongWords are of the errors by which endpoints say that a request exceeds the
// window: OpenAI, vLLM, Mistral, llama.cpp, Anthropic, Gemini.
var tooLongWords = []string{
	"context_length_exceeded", "maximum context length", "context window", "context size",
	"prompt is too long", "exceeds the maximum number of tokens", "input is too long",
	filledWords,
}

// written is a request as sent.
type written struct {
	body      []byte
	formatted bool // it has our response format
	bounded   bool // it has our bound
	// The bound has no other name, or replaces the client's, which then is the one that the
	// endpoint accepts.
	lastBound bool
}
