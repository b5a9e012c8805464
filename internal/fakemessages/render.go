package fakemessages

import (
	"encoding/json"
	"fmt"

	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

type (
	textJSON struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	thinkingJSON struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	redactedJSON struct {
		Type string `json:"type"`
		Data string `json:"data"`
	}
	callJSON struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
)

// render makes the blocks of a reply and signs their thinking, each after those before it.
func (a *answer) render(reply Reply) {
	blocks := reply.Blocks
	hasThinking := false
	for _, c := range blocks {
		hasThinking = hasThinking || c.typ == request.TypeThinking || c.typ == request.TypeRedacted
	}
	if a.req.Thinks() && !hasThinking && !reply.NoThinking {
		text := "First I look at what was asked."
		if a.x.s.cfg.Think != nil {
			text = a.x.s.cfg.Think(a.req)
		}
		blocks = append([]Content{Thinking(text)}, blocks...)
	}
	a.prefix.Enter(request.RoleAssistant)
	calls := 0
	for _, c := range blocks {
		a.usage.OutputTokens += a.x.s.outputTokens(c)
		if c.typ == request.TypeToolUse && c.id == "" {
			c.id = fmt.Sprintf("toolu_%d_%d", a.x.N, calls)
		}
		b := c.render(a.req, a.prefix)
		if b.calls {
			calls++
		}
		a.blocks = append(a.blocks, b)
	}
	a.stopReason = reply.StopReason
	if a.stopReason == "" {
		a.stopReason = "end_turn"
		if calls > 0 {
			a.stopReason = "tool_use"
		}
	}
}

func (s *Server) outputTokens(c Content) int {
	return tokensOfBlock + s.textTokens(c.text) + s.textTokens(string(c.raw))
}

// render makes a block that is at the end of p, and moves p past it.
func (c Content) render(r *Request, p *thinking.Prefix) replyBlock {
	var b replyBlock
	switch c.typ {
	case request.TypeThinking:
		text := c.text
		if r.OmitsThinking() {
			text = ""
		}
		signature := p.Sign(thinking.KindThinking, r.Model, text)
		b.json = fakeserver.EncodeJSON(thinkingJSON{c.typ, text, signature})
		b.start = fakeserver.EncodeJSON(thinkingJSON{Type: c.typ})
		b.deltas = deltasOf("thinking_delta", "thinking", text)
		b.deltas = append(b.deltas, delta{"type": "signature_delta", "signature": signature})
		return b
	case request.TypeRedacted:
		signature := p.Sign(thinking.KindRedacted, r.Model, "")
		b.json = fakeserver.EncodeJSON(redactedJSON{c.typ, signature})
		b.start, b.whole = b.json, true
		return b
	case request.TypeText:
		b.json = fakeserver.EncodeJSON(textJSON{c.typ, c.text})
		b.start = fakeserver.EncodeJSON(textJSON{Type: c.typ})
		b.deltas = deltasOf("text_delta", "text", c.text)
	case request.TypeToolUse:
		b.calls = true
		b.json = fakeserver.EncodeJSON(callJSON{c.typ, c.id, c.name, c.raw})
		b.start = fakeserver.EncodeJSON(callJSON{c.typ, c.id, c.name, json.RawMessage("{}")})
		b.deltas = deltasOf("input_json_delta", "partial_json", string(c.raw))
	default:
		b.json, b.start, b.whole = c.raw, c.raw, true
	}
	if v, err := jsontree.Decode(b.json); err == nil {
		fields, _ := v.(jsontree.Object)
		p.AddBlock(fields.Without(request.CacheControl))
	}
	return b
}
