package endpoint

import (
	"encoding/json"
	"time"

	"killick/view"
)

// Request is one question to a model.
type Request struct {
	Target Target
	// Key tells conversations apart for Limits; it is compared and forgotten, so it
	// should be a hash. Requests without one share one allowance.
	Key string
	// Prefix is a client's own request, behind whose messages Messages are appended, in the format
	// that it has. If nil, the request is standalone.
	Prefix *view.Request
	// Rules are the system prompt of a standalone request.
	Rules string
	// Messages are what is asked, and in between what the model answered before.
	Messages []Message
	// Schema is the form of the answer. If it has no JSON, any text.
	Schema Schema
	// MaxOutput is the most tokens that the answer may have, reasoning included.
	MaxOutput int
	// ForbidTools forbids calls of tools to a model that has made one. It may cost
	// what the provider has cached.
	ForbidTools bool
	// Kept is how many of the last messages of Prefix a summary leaves out ([Client.Summarize]).
	Kept      int
	summarize bool
	// Report is called after each exchange with the endpoint, in the goroutine of Ask:
	// several for one request while its dialect is learnt. If nil, nothing is.
	Report func(Exchange)
}

// Message is one of ours, or of the model's to us.
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

// Reply is what a model answered.
type Reply struct {
	Text       string
	Refused    bool // by a member of the reply, not by its words
	Cut        bool // at MaxOutput
	CalledTool bool // beside the text, or instead of it
	// Message is the summary that the API itself wrote, as the message of the model's that later
	// requests begin with. It is set in answers to [Client.Summarize] alone.
	Message string
}

// Exchange is one HTTP request and what came of it.
type Exchange struct {
	Reply    Reply
	Usage    Usage
	Duration time.Duration
	Err      error
}
