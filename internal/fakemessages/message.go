package fakemessages

import (
	"encoding/json"
	"fmt"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
)

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

// messageJSON has the members of answers in Anthropic's order.
type messageJSON struct {
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

// replyBlock is a block of a reply, ready to be sent.
type replyBlock struct {
	json   []byte // the whole block
	start  []byte // as content_block_start has it
	deltas []delta
	whole  bool // sent in content_block_start alone
	calls  bool // a call of a tool
}

// delta is the delta of a content_block_delta event.
type delta map[string]string
