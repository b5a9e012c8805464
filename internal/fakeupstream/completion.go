package fakeupstream

import (
	"fmt"

	"killick/chat"
	"killick/internal/fakeserver/openaiapi"
	"killick/view"
)

// completion is the answer to one accepted request.
type completion struct {
	x       *exchange
	req     *view.Request
	reply   Reply
	choices int
	usage   chat.Usage
	created int64
}

// whole answers in one body.
func (c *completion) whole() {
	message := messageJSON{Role: string(view.Assistant), Reasoning: c.reply.Reasoning,
		Refusal: openaiapi.OrNull(c.reply.Refusal), Annotations: []struct{}{}}
	if c.reply.Content != "" || len(c.reply.ToolCalls) == 0 && c.reply.Refusal == "" {
		message.Content = &c.reply.Content
	}
	for _, call := range c.reply.ToolCalls {
		message.ToolCalls = append(message.ToolCalls, call.json(call.Arguments))
	}
	answer := completionJSON{ID: c.id(), Object: "chat.completion", Created: c.created,
		Model: c.req.Model(),
		Usage: c.usageJSON(), ServiceTier: "default"}
	for i := range c.choices {
		answer.Choices = append(answer.Choices,
			choiceJSON{Index: i, Message: message, FinishReason: c.reply.FinishReason})
	}
	c.x.answerJSON(answer)
}

func (c *completion) id() string { return fmt.Sprintf("chatcmpl-%d", c.x.N) }

func (c *completion) usageJSON() usageJSON {
	u := usageJSON{PromptTokens: c.usage.PromptTokens, CompletionTokens: c.usage.CompletionTokens,
		TotalTokens: c.usage.PromptTokens + c.usage.CompletionTokens}
	u.PromptDetails.Cached = c.usage.CachedTokens
	return u
}

// json returns the call with so much of its arguments.
func (t ToolCall) json(arguments string) callJSON {
	if t.Custom {
		return callJSON{ID: t.ID, Type: "custom", Custom: &customJSON{t.Name, arguments}}
	}
	return callJSON{ID: t.ID, Type: "function", Function: &functionJSON{t.Name, arguments}}
}

// The members of answers, in OpenAI's order.
type (
	completionJSON struct {
		ID          string       `json:"id"`
		Object      string       `json:"object"`
		Created     int64        `json:"created"`
		Model       string       `json:"model"`
		Choices     []choiceJSON `json:"choices"`
		Usage       usageJSON    `json:"usage"`
		ServiceTier string       `json:"service_tier"`
		Fingerprint *string      `json:"system_fingerprint"`
	}
	choiceJSON struct {
		Index        int         `json:"index"`
		Message      messageJSON `json:"message"`
		Logprobs     *struct{}   `json:"logprobs"`
		FinishReason string      `json:"finish_reason"`
	}
	messageJSON struct {
		Role        string     `json:"role"`
		Content     *string    `json:"content"`
		Reasoning   string     `json:"reasoning_content,omitempty"`
		ToolCalls   []callJSON `json:"tool_calls,omitempty"`
		Refusal     *string    `json:"refusal"`
		Annotations []struct{} `json:"annotations"`
	}
	callJSON struct {
		Index    *int          `json:"index,omitempty"` // in deltas
		ID       string        `json:"id,omitempty"`
		Type     string        `json:"type,omitempty"`
		Function *functionJSON `json:"function,omitempty"`
		Custom   *customJSON   `json:"custom,omitempty"`
	}
	functionJSON struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	customJSON struct {
		Name  string `json:"name,omitempty"`
		Input string `json:"input"`
	}
	usageJSON struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		PromptDetails    struct {
			Cached int `json:"cached_tokens"`
			Audio  int `json:"audio_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning int `json:"reasoning_tokens"`
			Audio     int `json:"audio_tokens"`
			Accepted  int `json:"accepted_prediction_tokens"`
			Rejected  int `json:"rejected_prediction_tokens"`
		} `json:"completion_tokens_details"`
	}
)
