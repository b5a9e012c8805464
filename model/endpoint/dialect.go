package endpoint

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
	// strict is set for chat templates that insist on turns: in append a turn of the
	// model's stands before our instruction, standalone there is no system message.
	strict bool
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

// lower returns the next older dialect that may understand what w, a request
// written in d, was refused for, and whether tht Target named what it does not
// know. ok is false where there is none to try.
func (d dialect) lower(why rejection, w written) (next dialect, named, ok bool) {
	switch why.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented, http.StatusInternalServerError:
	default:
		return d, false, false
	}
	words := strings.ToLower(why.words)
	switch {
	case w.formatted && d.format < noFormat && holdsAny(words, formatWords):
		d.format++
		return d, true, true
	case w.bounded && holdsAny(words, boundWords):
		d.bound++
		if w.replacesClients {
			d.bound = noBound // the client's own bound is the one that it takes
		}
		return d, true, true
	case !d.strict && holdsAny(words, strictWords):
		d.strict = true
		return d, true, true
	case why.status == http.StatusInternalServerError, why.status == http.StatusNotFound, holdsAny(words, tooLongWords), holdsAny(words, filterWords):
		return d, false, false
	case w.formatted && d.format < noFormat:
		d.format++
		return d, false, true
	}
	return d, false, false
}

// The words by which endpoints name what they do not know, as their error
// messages are quoted in public bug reports: OpenAI, Azure, Groq, DeepSeek, vLLM,
// llama.cpp, LM Studio. Chat templates that fail do so with 500 at some.
var (
	formatWords = []string{"response_format", "response format", "json_schema", "json_object", "structured output", "grammar", "guided"}
	boundWords  = []string{"max_completion_tokens", "max_tokens"}
	strictWords = []string{"roles must alternate", "unexpected role", "system role", "expected last role"}
	filterWords = []string{"content_filter", "content management policy"}
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

func (d *dialects) of(t Target) dialect {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[t.name()]
}

func (d *dialects) learn(t Target, known dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil || len(d.all) >= maxEndpoints {
		d.all = map[string]dialect{}
	}
	d.all[t.name()] = known
}
