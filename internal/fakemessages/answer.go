package fakemessages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

// Usage is what a request cost, as answers report it.
type Usage struct {
	InputTokens           int // neither read from the cache nor written to it
	CacheCreationTokens   int
	CacheReadTokens       int
	CacheCreation5mTokens int
	CacheCreation1hTokens int
	OutputTokens          int
}

// Prompt is the whole input.
func (u Usage) Prompt() int { return u.InputTokens + u.CacheCreationTokens + u.CacheReadTokens }

// answer is the answer to one accepted request.
type answer struct {
	x        *exchange
	req      *Request
	prefix   *thinking.Prefix
	reported []thinking.Transformation

	blocks     []replyBlock
	stopReason string
	usage      Usage
	iterations []iteration
	errorAfter int
	errorEvent []byte
}

// The members of answers, in Anthropic's order.
type (
	messageJSON struct {
		ID           string            `json:"id"`
		Type         string            `json:"type"`
		Role         string            `json:"role"`
		Model        string            `json:"model"`
		Content      []json.RawMessage `json:"content"`
		StopReason   *string           `json:"stop_reason"`
		StopSequence *string           `json:"stop_sequence"`
		Usage        usageJSON         `json:"usage"`
		// what was made of the input, under a beta alone
		Transformations *[]thinking.Transformation `json:"input_transformations,omitempty"`
	}
	usageJSON struct {
		InputTokens         int `json:"input_tokens"`
		CacheCreationTokens int `json:"cache_creation_input_tokens"`
		CacheReadTokens     int `json:"cache_read_input_tokens"`
		CacheCreation       struct {
			Tokens5m int `json:"ephemeral_5m_input_tokens"`
			Tokens1h int `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
		OutputTokens int             `json:"output_tokens"`
		ServiceTier  string          `json:"service_tier"`
		Iterations   []iterationJSON `json:"iterations,omitempty"`
	}
	iterationJSON struct {
		Type string `json:"type"`
		usageJSON
	}
)

// iteration is a call of the model's that the usage of a request leaves out.
type iteration struct {
	Type  string
	Usage Usage
}

func (u Usage) json() usageJSON {
	j := usageJSON{InputTokens: u.InputTokens, CacheCreationTokens: u.CacheCreationTokens,
		CacheReadTokens: u.CacheReadTokens, OutputTokens: u.OutputTokens,
		ServiceTier: "standard"}
	j.CacheCreation.Tokens5m = u.CacheCreation5mTokens
	j.CacheCreation.Tokens1h = u.CacheCreation1hTokens
	return j
}

// answerMessage answers a request that is valid.
func (x *exchange) answerMessage(a *answer) {
	l := x.s.layout(a.req, x.credential())
	size := l.tokens()
	if e := x.s.tooLong(a.req, size); e != nil {
		x.fail(e)
		return
	}
	reply := x.s.reply(a.req)
	if reply.Delay > 0 {
		x.Wait(reply.Delay)
	}
	if reply.Status != 0 {
		x.fail(request.ErrorOf(reply.Status))
		return
	}
	found := Found{}
	a.usage, found.ByPrefix = x.s.use(a.req, l)
	switch {
	case a.req.Summary:
		x.summarize(a)
	case a.req.MaxTokens == 0:
		a.stopReason = "max_tokens" // the request only fills the cache
	default:
		a.render(reply)
		if x.s.stopsAtWindow(a.req, size+a.usage.OutputTokens) {
			a.stopReason = "model_context_window_exceeded"
		}
	}
	found.Usage = a.usage
	for _, t := range a.reported {
		if t.Type == thinking.Dropped {
			found.Dropped++
		}
	}
	x.Note(found)
	if reply.ErrorAfter > 0 {
		a.errorAfter = reply.ErrorAfter
		status := reply.ErrorStatus
		status = cmp.Or(status, request.Overloaded)
		a.errorEvent = request.ErrorOf(status).Body(requestID(x.N))
	}
	if a.req.Stream {
		a.stream()
		return
	}
	x.Answer(http.StatusOK, fakeserver.EncodeJSON(a.message(true)))
}

// message is the answer as a whole, or with no content as a stream starts with it.
func (a *answer) message(whole bool) messageJSON {
	m := messageJSON{ID: fmt.Sprintf("msg_%016x", a.x.N), Type: "message",
		Role: request.RoleAssistant, Model: a.req.Model, Content: []json.RawMessage{},
		Usage: a.usage.json()}
	for _, it := range a.iterations {
		m.Usage.Iterations = append(m.Usage.Iterations, iterationJSON{it.Type, it.Usage.json()})
	}
	if a.req.Beta(request.BetaBinding) {
		m.Transformations = &a.reported
	}
	if !whole {
		m.Usage.OutputTokens, m.Usage.Iterations = 1, nil
		return m
	}
	for _, b := range a.blocks {
		m.Content = append(m.Content, b.json)
	}
	m.StopReason = &a.stopReason
	return m
}
