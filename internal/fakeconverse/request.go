package fakeconverse

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// Request is what is read of a request.
type Request struct {
	Body       []byte          `json:"-"`
	Model      string          `json:"-"` // that the path names, decoded
	Messages   []Message       `json:"messages"`
	System     json.RawMessage `json:"system"`
	ToolConfig *struct {
		Tools []Tool `json:"tools"`
	} `json:"toolConfig"`
	Additional struct {
		Betas    []string `json:"anthropic_beta"`
		Thinking struct {
			Binding struct {
				OnMismatch string `json:"prefix_mismatch_behavior"`
			} `json:"block_binding"`
		} `json:"thinking"`
	} `json:"additionalModelRequestFields"`
}

// Tool is one of the tools, or a cache point among them.
type Tool struct {
	raw   json.RawMessage
	Spec  *struct{ Name string } `json:"toolSpec"`
	Point *Point                 `json:"cachePoint"`
}

// UnmarshalJSON keeps the text of a tool beside its members.
func (t *Tool) UnmarshalJSON(text []byte) error {
	type plain Tool
	if err := json.Unmarshal(text, (*plain)(t)); err != nil {
		return fmt.Errorf("reading a tool: %w", err)
	}
	t.raw = append(t.raw[:0], text...)
	return nil
}

// Message is one of the messages.
type Message struct {
	Role    string  `json:"role"`
	Content []Block `json:"content"`
}

// Block is one block of a content: exactly one member.
type Block struct {
	raw       json.RawMessage
	Text      *string         `json:"text,omitempty"`
	Call      *Call           `json:"toolUse,omitempty"`
	Result    *Result         `json:"toolResult,omitempty"`
	Reasoning *Reasoning      `json:"reasoningContent,omitempty"`
	Point     *Point          `json:"cachePoint,omitempty"`
	Image     json.RawMessage `json:"image,omitempty"`
	Document  json.RawMessage `json:"document,omitempty"`
	Guard     json.RawMessage `json:"guardContent,omitempty"`
	Cited     json.RawMessage `json:"citationsContent,omitempty"`
}

// UnmarshalJSON keeps the text of a block beside its members.
func (b *Block) UnmarshalJSON(text []byte) error {
	type plain Block
	if err := json.Unmarshal(text, (*plain)(b)); err != nil {
		return fmt.Errorf("reading a block: %w", err)
	}
	b.raw = append(b.raw[:0], text...)
	return nil
}

// Call is a call of a tool.
type Call struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// Result is the result of a call.
type Result struct {
	ID      string            `json:"toolUseId"`
	Content []json.RawMessage `json:"content"`
	Status  string            `json:"status,omitempty"`
}

// Reasoning is what the model thought.
type Reasoning struct {
	Text struct {
		Text      string `json:"text"`
		Signature string `json:"signature,omitempty"`
	} `json:"reasoningText"`
}

// Point is a cache point.
type Point struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

// ToolNames returns the names of the tools.
func (r *Request) ToolNames() (names []string) {
	if r.ToolConfig == nil {
		return nil
	}
	for _, tool := range r.ToolConfig.Tools {
		if tool.Spec != nil {
			names = append(names, tool.Spec.Name)
		}
	}
	return names
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_.:-]{1,64}$`)
