package chat

import (
	"killick/rawjson"
	"killick/view"
	"killick/view/claude"
)

// The members in which gateways give a message the signed thinking of Claude, and expect it back:
// OpenRouter's (https://openrouter.ai/docs/use-cases/reasoning-tokens) and LiteLLM's
// (https://docs.litellm.ai/docs/reasoning_content). If Anthropic's API refuses it, the client gets
// that error (linanwx/nagobot#21).
const (
	reasoningDetails = "reasoning_details"
	thinkingBlocks   = "thinking_blocks"
)

// Rules implements [view.Format]. Newer models of Anthropic's refuse thinking after other messages
// than those that it was made after.
func (format) Rules(r *view.Request) view.Rules {
	m, ok := claude.Of(r.Model())
	return view.Rules{DropSigned: ok && m.ChecksPrefixes(false)}
}

// WithoutSigned implements [view.Format]. Reasoning that is plain text stays.
func (format) WithoutSigned(m *view.Message) []byte {
	if !m.Is(view.Signed) {
		return m.Raw
	}
	return rawjson.WithMembers(m.Raw, map[string]rawjson.Value{
		reasoningDetails: nil, thinkingBlocks: nil,
	})
}
