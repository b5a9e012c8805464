package fakeconverse

import (
	"encoding/json"
	"fmt"
	"strings"
)

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
