package fakeupstream

import (
	"time"

	"killick/internal/fakeserver/openaiapi"
)

// Reply is what the model answers to one request. Each of the n choices that a
// request may ask for is the same.
type Reply struct {
	Content      string
	Reasoning    string // reasoning_content, which some providers send and want back
	Refusal      string
	ToolCalls    []ToolCall
	FinishReason string // if empty, "tool_calls" with calls and "stop" without

	// before anything is sent; it ends early when the client leaves or the server closes
	Delay  time.Duration
	Status int // if not zero, OpenAI's error for it is answered instead
}

// ToolCall is a call that the model makes.
type ToolCall struct {
	ID        string // if empty, made of the number of the request and the call
	Name      string
	Arguments string // JSON text; of a custom tool, its free-form input
	Custom    bool   // a custom tool, not a function
}

// tokens is what the reply counts as, at four bytes a token.
func (r Reply) tokens() int {
	texts := []string{r.Content, r.Reasoning, r.Refusal}
	for _, call := range r.ToolCalls {
		texts = append(texts, call.Name, call.Arguments)
	}
	n := 0
	for _, text := range texts {
		n += openaiapi.TokensIn(len(text))
	}
	return n
}
