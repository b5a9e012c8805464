package endpoint

import (
	"encoding/json"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"killick/view"
)

// Request is one question to a model.
type Request struct {
	Target Target
	// Key tells conversations apart for Limits; it is compared and forgotten, so it
	// should be a hash. Requests without one share one allowance.
	Key string
	// Prefix is a client's own request, behind whose messages Messages are appended. If
	// nil, the request is standalone.
	Prefix *view.Request
	// Rules are the system message of a standalone request.
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
	// Report is called after each exchange with the endpoint, in the goroutine of Ask:
	// several for one request while its dialect is learnt. If nil, nothing is.
	Report func(Exchange)
}

// Message is one of ours, or of the model's to us.
type Message struct {
	Role string
	Text string
}

// User returns a message of ours.
func User(text string) Message { return Message{openai.ChatMessageRoleUser, text} }

// Assistant returns a message of the model's.
func Assistant(text string) Message { return Message{openai.ChatMessageRoleAssistant, text} }

// Schema is a JSON schema with its name.
type Schema struct {
	Name string
	JSON json.RawMessage
}

// responseFormat returns the response_format that asks for the schema.
func (s Schema) responseFormat(f format) *openai.ChatCompletionResponseFormat {
	if f == jsonObject {
		return &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONObject,
		}
	}
	return &openai.ChatCompletionResponseFormat{
		Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
			Name: s.Name, Schema: s.JSON, Strict: true,
		},
	}
}

// Reply is what a model answered.
type Reply struct {
	Text       string
	Refused    bool // by a member of the reply, not by its words
	Cut        bool // at MaxOutput
	CalledTool bool // instead of answering
}

// Exchange is one HTTP request and what came of it.
type Exchange struct {
	Reply    Reply
	Usage    Usage
	Duration time.Duration
	Err      error
}

// written is a request as it goes out.
type written struct {
	typed           openai.ChatCompletionRequest // standalone
	raw             []byte                       // append
	formatted       bool                         // a response_format of ours is in it
	bounded         bool                         // a bound of ours is in it
	replacesClients bool                         // in the place of the client's bound
}

// write writes a request in a dialect.
func (r *Request) write(as dialect) written {
	if r.Prefix != nil {
		return r.appended(as)
	}
	w := written{typed: openai.ChatCompletionRequest{Model: r.Target.Model}}
	messages := append([]Message{{openai.ChatMessageRoleSystem, r.Rules}}, r.Messages...)
	if as.strict {
		messages = messages[1:]
		messages[0].Text = r.Rules + "\n\n" + messages[0].Text
	}
	for _, m := range messages {
		w.typed.Messages = append(w.typed.Messages,
			openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	switch as.bound {
	case maxCompletionTokens:
		w.typed.MaxCompletionTokens = r.MaxOutput
	case maxTokens:
		w.typed.MaxTokens = r.MaxOutput //nolint:staticcheck // the name that older endpoints know
	}
	w.bounded = as.bound != noBound
	if len(r.Schema.JSON) > 0 && as.format != noFormat {
		w.formatted = true
		w.typed.ResponseFormat = r.Schema.responseFormat(as.format)
	}
	return w
}
