package endpoint

import (
	"encoding/json"
	"time"

	"killick/view"
)

// Request is one request to a model.
type Request struct {
	Target Target
	// Key identifies conversations for Limits; it should be a hash. Requests without one share
	// one allowance.
	Key string
	// Prefix is a client's own request, to which Messages are appended, in its format. If nil, the
	// request is standalone.
	Prefix *view.Request
	// Rules are the system prompt of a standalone request.
	Rules string
	// Messages are our messages, and the model's earlier answers in between.
	Messages []Message
	// Schema is the schema of the answer. If it has no JSON, any text is valid.
	Schema Schema
	// MaxOutput is the maximum number of tokens of the answer, reasoning included.
	MaxOutput int
	// ForbidTools forbids tool calls to a model that has made one. It may invalidate the
	// provider's cache.
	ForbidTools bool
	// Kept is how many of the last messages of Prefix a summary leaves out ([Client.Summarize]).
	Kept      int
	summarize bool
	// Report is called after each exchange with the endpoint, in the goroutine of Ask: several
	// times for one request while its dialect is learned. It may be nil.
	Report func(Exchange)
}

// Message is one of our messages, or an answer of the model.
type Message struct {
	Role string
	Text string
}

// The roles.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
)

// User returns a message of ours.
func User(text string) Message { return Message{roleUser, text} }

// Assistant returns a message of the model's.
func Assistant(text string) Message { return Message{roleAssistant, text} }

// Schema is a JSON schema with its name.
type Schema struct {
	Name string
	JSON json.RawMessage
}

// Reply is a model's answer.
type Reply struct {
	Text       string
	Refused    bool // by a member of the reply, not by its words
	Cut        bool // at MaxOutput
	CalledTool bool // beside the text, or instead of it
	// Message is the summary by the API, as the assistant message with which later requests begin.
	// It is only set in answers to [Client.Summarize].
	Message string
}

// Exchange is one HTTP request and its result.
type Exchange struct {
	Reply    Reply
	Usage    Usage
	Duration time.Duration
	Err      error
}
