package fakeupstream

import (
	"killick/internal/fakeserver"
	"killick/view"
)

type (
	chunkJSON struct {
		ID          string            `json:"id"`
		Object      string            `json:"object"`
		Created     int64             `json:"created"`
		Model       string            `json:"model"`
		ServiceTier string            `json:"service_tier"`
		Fingerprint *string           `json:"system_fingerprint"`
		Choices     []chunkChoiceJSON `json:"choices"`
		// null in all chunks but the last, where it was asked for
		Usage any `json:"usage,omitempty"`
	}
	chunkChoiceJSON struct {
		Index        int       `json:"index"`
		Delta        deltaJSON `json:"delta"`
		Logprobs     *struct{} `json:"logprobs"`
		FinishReason *string   `json:"finish_reason"`
	}
	deltaJSON struct {
		Role      string     `json:"role,omitempty"`
		Content   *string    `json:"content,omitempty"`
		Reasoning string     `json:"reasoning_content,omitempty"`
		Refusal   string     `json:"refusal,omitempty"`
		ToolCalls []callJSON `json:"tool_calls,omitempty"`
	}
)

// stream answers as server-sent events: the role, the text and the calls in
// small deltas with the choices taking turns, how each choice ended, the usage
// if it was asked for, and [DONE].
func (c *completion) stream() {
	withUsage := string(c.req.Field("stream_options").Get("include_usage")) == "true"
	chunk := chunkJSON{ID: c.id(), Object: "chat.completion.chunk", Created: c.created,
		Model: c.req.Model(), ServiceTier: "default"}
	if withUsage {
		chunk.Usage = (*usageJSON)(nil)
	}
	c.x.StartStream()
	send := func(delta deltaJSON, finish *string) {
		for i := range c.choices {
			chunk.Choices = []chunkChoiceJSON{{Index: i, Delta: delta, FinishReason: finish}}
			c.x.event(fakeserver.EncodeJSON(chunk))
		}
	}
	c.reply.eachDelta(func(d deltaJSON) { send(d, nil) })
	send(deltaJSON{}, &c.reply.FinishReason)
	if withUsage {
		chunk.Choices, chunk.Usage = []chunkChoiceJSON{}, c.usageJSON()
		c.x.event(fakeserver.EncodeJSON(chunk))
	}
	c.x.event([]byte("[DONE]"))
	c.x.EndStream()
}

// eachDelta cuts the reply into deltas.
func (r Reply) eachDelta(each func(deltaJSON)) {
	first := deltaJSON{Role: string(view.Assistant)}
	if len(r.ToolCalls) == 0 {
		first.Content = new(string)
	}
	each(first)
	fakeserver.EachPiece(r.Reasoning, func(s string) { each(deltaJSON{Reasoning: s}) })
	fakeserver.EachPiece(r.Refusal, func(s string) { each(deltaJSON{Refusal: s}) })
	fakeserver.EachPiece(r.Content, func(s string) { each(deltaJSON{Content: &s}) })
	for i, call := range r.ToolCalls {
		opening := call.json("")
		opening.Index = &i
		each(deltaJSON{ToolCalls: []callJSON{opening}})
		more := ToolCall{Custom: call.Custom}
		fakeserver.EachPiece(call.Arguments, func(s string) {
			piece := more.json(s)
			piece.Index, piece.Type = &i, ""
			each(deltaJSON{ToolCalls: []callJSON{piece}})
		})
	}
}
