package replay

import (
	"time"

	"killick/chat"
)

// Forwarder forwards the requests of one conversation, in their order. It may
// remember what it did before.
type Forwarder func(body []byte) Forwarded

// Forwarded is what became of a request.
type Forwarded struct {
	Body      []byte   // what is sent; body itself where nothing was changed
	Actions   []string // what Body shows: "mask", "summary", "reuse"
	Made      []string // what was tried for this request, by its outcome
	Plans     []string // the decisions that were made for this request, a line each
	Refetched int      // calls of the newest turn that fetch again what was hidden
	Reason    string
	FailOpens []string      // the faults that were survived
	Own       Own           // what was asked of models for the conversation meanwhile
	Aside     time.Duration // of the time that it took, what no client waits for
}

// Own is what calls to models came to that a strategy made by itself.
type Own struct {
	Calls      int     `json:"calls"`
	Prompt     int     `json:"prompt_tokens"` // cached ones among them
	Cached     int     `json:"cached_tokens"`
	Completion int     `json:"completion_tokens"`
	Dollars    float64 `json:"usd"` // 0 where the model's price is not known
}

func (o *Own) add(more Own) {
	o.Calls += more.Calls
	o.Prompt += more.Prompt
	o.Cached += more.Cached
	o.Completion += more.Completion
	o.Dollars += more.Dollars
}

// Strategy is a way to forward conversations.
type Strategy struct {
	Name string
	// Trigger tells past how many tokens it acts on a conversation: the figures of
	// such turns are told apart. If nil, 32,000.
	Trigger func(*Transcript) int
	// Open returns the forwarder for one conversation, and what ends it.
	Open func() (Forwarder, func() error, error)
}

// Counter counts tokens. Its counts of a message must not depend on what stands
// around it.
type Counter interface {
	// Message returns the tokens of a message in its place in a request.
	Message(m *chat.Message) int
	// Overhead returns the tokens of a request beside its messages: tools, and
	// what frames it.
	Overhead(r *chat.Request) int
}
