package fakemessages

import (
	"encoding/json"
	"fmt"
	"time"

	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

// Reply is what the model answers to one request.
type Reply struct {
	Blocks     []Content
	StopReason string // if empty, "tool_use" with a call and "end_turn" without

	// NoThinking leaves out the thinking that the model would begin with.
	NoThinking bool

	// before anything is sent; it ends early when the client leaves or the server closes
	Delay  time.Duration
	Status int // if not zero, Anthropic's error for it is answered instead

	// ErrorAfter, if not zero, ends a stream after this many events with an event of the error that
	// goes with ErrorStatus; if that is zero, with 529.
	ErrorAfter  int
	ErrorStatus int
}

// Content is a block of a reply: see Text, Thinking, Redacted, Call and Raw.
type Content struct {
	typ, text string
	id, name  string
	raw       json.RawMessage
}

// Text is a block of text.
func Text(text string) Content { return Content{typ: request.TypeText, text: text} }

// Thinking is a thinking block with a text, signed by the server. The text is left out where the
// model omits it.
func Thinking(text string) Content { return Content{typ: request.TypeThinking, text: text} }

// Redacted is a redacted_thinking block, signed by the server.
func Redacted() Content { return Content{typ: request.TypeRedacted} }

// Call is a call of a tool with an input that is JSON text. If id is empty, it is made of the
// number of the request and the call.
func Call(id, name, input string) Content {
	return Content{typ: request.TypeToolUse, id: id, name: name, raw: json.RawMessage(input)}
}

// Raw is any block, as it is.
func Raw(block string) Content { return Content{raw: json.RawMessage(block)} }

func (s *Server) reply(r *Request) Reply {
	if s.cfg.Reply != nil {
		return s.cfg.Reply(r)
	}
	return Reply{Blocks: []Content{Text(fmt.Sprintf(
		"This is the scripted answer to a request of %d messages.", len(r.Messages)))}}
}

// replyBlock is a block of a reply, ready to be sent.
type replyBlock struct {
	json   []byte // the whole block
	start  []byte // as content_block_start has it
	deltas []delta
	whole  bool // sent in content_block_start alone
	calls  bool // a call of a tool
}

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
		a.usage.OutputTokens += a.x.s.outputTokens(a.req, c)
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

func (s *Server) outputTokens(r *Request, c Content) int {
	return tokensOfBlock + s.textTokens(r, c.text) + s.textTokens(r, string(c.raw))
}

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
