package fakeollama

import (
	"encoding/json"
	"fmt"
)

// Request is what is read of a request.
type Request struct {
	Body     []byte            `json:"-"`
	Model    string            `json:"model"`
	Messages []Message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
	Stream   *bool             `json:"stream"` // if nil, it is streamed
	Truncate *bool             `json:"truncate"`
	Options  struct {
		NumCtx     int `json:"num_ctx"`
		NumPredict int `json:"num_predict"`
	} `json:"options"`
}

// Message is one message.
type Message struct {
	Role      string   `json:"role"`
	Content   string   `json:"content"`
	Thinking  string   `json:"thinking,omitempty"`
	Images    [][]byte `json:"images,omitempty"`
	ToolCalls []Call   `json:"tool_calls,omitempty"`
	ToolName  string   `json:"tool_name,omitempty"`
	CallID    string   `json:"tool_call_id,omitempty"`
}

// Call is one call of a tool.
type Call struct {
	ID       string   `json:"id,omitempty"`
	Function Function `json:"function"`
}

// Function is what is called.
type Function struct {
	Index     int             `json:"index,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// check returns the message of a refusal, "" if the request is taken.
func (r *Request) check() string {
	for i := range r.Messages {
		m := &r.Messages[i]
		switch m.Role {
		case "system", "user", "assistant", "tool":
		default:
			return fmt.Sprintf("invalid role: %s", m.Role)
		}
		for _, c := range m.ToolCalls {
			if len(c.Function.Arguments) == 0 || c.Function.Arguments[0] != '{' {
				return "json: cannot unmarshal string into Go struct field " +
					"ChatRequest.messages.tool_calls.function.arguments of type api.Arguments"
			}
		}
	}
	return ""
}

// Prompt is what the model gets of a request.
type Prompt struct {
	Texts   []string // of tools and messages, in order
	Dropped int      // the messages that did not fit into the window
	Tokens  int      // of four bytes each
}

// bytesAToken is how many bytes of the prompt are one token.
const bytesAToken = 4

// prompt returns what the model gets: without the oldest messages, instructions apart, if the
// window is too small for all. Results stay with their call.
func (r *Request) prompt(window int) Prompt {
	for from := 0; ; from++ {
		if from > 0 && from < len(r.Messages) && r.Messages[from].Role == "tool" {
			continue
		}
		p := Prompt{Dropped: from}
		for _, tool := range r.Tools {
			p.Texts = append(p.Texts, string(tool))
		}
		for i := range r.Messages {
			if m := &r.Messages[i]; i >= from || m.Role == "system" {
				text, _ := json.Marshal(m) // it was read from JSON
				p.Texts = append(p.Texts, string(text))
				if i < from {
					p.Dropped--
				}
			}
		}
		for _, text := range p.Texts {
			p.Tokens += len(text)
		}
		p.Tokens /= bytesAToken
		if p.Tokens <= window || window <= 0 || from >= len(r.Messages)-1 {
			return p
		}
	}
}
