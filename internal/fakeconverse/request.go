package fakeconverse

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
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

// check returns the message of a refusal, "" if the API takes the request. The wordings are those
// of issues 15 of aws-samples/sample-multi-agent-orchestration-chat-on-agentcore, 1435, 1223 and
// 3758 of strands-agents/harness-sdk, 12340 of langgenius/dify, 192 of langchain-ai/langchain-aws,
// 55092 of NousResearch/hermes-agent, 11238 of RooCodeInc/Roo-Code and 196 of vxcontrol/pentagi.
func (s *Server) check(r *Request) string {
	if len(r.Messages) == 0 || r.Messages[0].Role != "user" {
		return "A conversation must start with a user message. Try again with a conversation " +
			"that starts with a user message."
	}
	for i := range r.Messages {
		if i > 0 && r.Messages[i].Role == r.Messages[i-1].Role {
			return "A conversation must alternate between user and assistant roles. Make sure " +
				"the conversation alternates between user and assistant roles and try again."
		}
		if message := s.checkMessage(r, i); message != "" {
			return message
		}
	}
	if last := &r.Messages[len(r.Messages)-1]; last.Role == "assistant" {
		return "This model does not support assistant message prefill. The conversation must end " +
			"with a user message."
	}
	if message := r.checkPoints(); message != "" {
		return message
	}
	if s.cfg.Binds && !r.drops() {
		return r.checkThinking()
	}
	return ""
}

// checkMessage checks one message and the one before it.
func (s *Server) checkMessage(r *Request, i int) string {
	m := &r.Messages[i]
	if m.Role != "user" && m.Role != "assistant" {
		return fmt.Sprintf("Value '%s' at 'messages.%d.member.role' failed to satisfy constraint: "+
			"Member must satisfy enum value set: [user, assistant]", m.Role, i+1)
	}
	if len(m.Content) == 0 {
		return fmt.Sprintf("The content field in the Message object at messages.%d is empty. Add "+
			"a ContentBlock object to the content field and try again.", i)
	}
	others, results := 0, 0
	for k := range m.Content {
		b := &m.Content[k]
		if message := b.check(m.Role, i, k); message != "" {
			return message
		}
		if (b.Call != nil || b.Result != nil) && r.ToolConfig == nil && !s.cfg.Untooled {
			return "The toolConfig field must be defined when using toolUse and toolResult " +
				"content blocks."
		}
		if b.Result != nil {
			results++
		} else if b.Point == nil {
			others++
		}
	}
	if s.cfg.Separate && results > 0 && others > 0 {
		return fmt.Sprintf("messages.%d.content: Conversation blocks and tool result blocks "+
			"cannot be provided in the same turn.", i)
	}
	return r.checkResults(i)
}

// checkResults checks that the results of a message are those of the calls before it.
func (r *Request) checkResults(i int) string {
	calls := map[string]bool{}
	if i > 0 {
		for _, b := range r.Messages[i-1].Content {
			if b.Call != nil {
				calls[b.Call.ID] = true
			}
		}
	}
	results, n := map[string]bool{}, 0
	for _, b := range r.Messages[i].Content {
		if b.Result != nil {
			results[b.Result.ID] = true
			n++
		}
	}
	var missing []string
	for id := range calls {
		if !results[id] {
			missing = append(missing, id)
		}
	}
	switch {
	case len(missing) > 0:
		return fmt.Sprintf("Expected toolResult blocks at messages.%d.content for the following "+
			"Ids: %s", i, strings.Join(missing, ", "))
	case n > len(calls):
		return fmt.Sprintf("The number of toolResult blocks at messages.%d.content exceeds the "+
			"number of toolUse blocks of previous turn.", i)
	}
	return ""
}

// check checks the block k of message i.
func (b *Block) check(role string, i, k int) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(b.raw, &members) // it was read before
	const ours = 9
	known := 0
	for _, is := range [ours]bool{b.Text != nil, b.Call != nil, b.Result != nil, b.Reasoning != nil,
		b.Point != nil, b.Image != nil, b.Document != nil, b.Guard != nil, b.Cited != nil} {
		if is {
			known++
		}
	}
	at := fmt.Sprintf("messages.%d.content.%d", i, k)
	switch {
	case known != 1 || len(members) != 1:
		return "The format of the ContentBlock object at " + at + " is invalid. Set exactly one " +
			"member and try again."
	case b.Text != nil && strings.TrimSpace(*b.Text) == "":
		return "The text field in the ContentBlock object at " + at + " is blank. Add text to " +
			"the text field, and try again."
	case b.Call != nil && role == "user", b.Reasoning != nil && role == "user":
		return "User messages cannot contain tool uses or reasoning: " + at
	case b.Result != nil && role == "assistant":
		return "Assistant messages cannot contain tool results: " + at
	case b.Call != nil && (!validID.MatchString(b.Call.ID) || len(b.Call.Input) == 0 ||
		b.Call.Input[0] != '{'):
		return "The format of the value at " + at + ".toolUse.input is invalid. Provide a json " +
			"object for the field and try again."
	case b.Result != nil && !validID.MatchString(b.Result.ID):
		return "Value at '" + at + ".toolResult.toolUseId' failed to satisfy constraint."
	case b.Result != nil && b.Result.Status == "error" && len(b.Result.Content) == 0:
		return "The content field at " + at + ".toolResult cannot be empty when status value is " +
			"error."
	}
	if b.Result == nil {
		return ""
	}
	for n, inner := range b.Result.Content {
		var of map[string]json.RawMessage
		err := json.Unmarshal(inner, &of)
		if err != nil || len(of) != 1 || !anyOf(of, "text", "json", "image", "document", "video") ||
			of["json"] != nil && of["json"][0] != '{' {
			return fmt.Sprintf("The format of the value at %s.toolResult.content.%d is invalid.",
				at, n)
		}
	}
	return ""
}

func anyOf(of map[string]json.RawMessage, names ...string) bool {
	for _, name := range names {
		if of[name] != nil {
			return true
		}
	}
	return false
}
