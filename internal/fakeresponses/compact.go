package fakeresponses

import (
	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// compact answers POST /v1/responses/compact: the messages of the user and one compaction item.
func (s *Server) compact(x *fakeserver.Exchange) {
	r, e := s.read(x, toCompact)
	if e != nil {
		fail(x, e)
		return
	}
	if triggers(r) {
		fail(x, openaiapi.Unsupported(inputAt(len(r.Items)-1-r.Kept)+".type",
			"compaction_trigger", quoted(sortedNames(kinds))))
		return
	}
	p := s.prompt(r)
	if s.refuses(x, r, &p) {
		return
	}
	use := s.use(r, p)
	item := compactionItem(r, p.tokens, digest(x, 0))
	usage := Usage{Input: p.tokens, Cached: use.read, Written30: use.written30,
		Written12: use.written12, Output: s.tokensOf(r, item)}
	x.Note(Findings{Usage: usage, LongestPrefix: use.longest,
		MovedReasoning: movedReasoning(r)})
	var output []Object
	for i, message := range r.Items {
		if message.Text("type") == "message" && message.Text("role") == "user" {
			output = append(output, asOutput(message, "msg_"+digest(x, 1+i)))
		}
	}
	answerJSON(x, Object{"id": "resp_" + digest(x, -2), "object": "response.compaction",
		"created_at": s.cfg.Now().Unix(), "output": append(output, item),
		"usage": usage.json(s.cfg.PlainUsage)})
}

// asOutput is a message of the user as the server returns it.
func asOutput(message Object, id string) Object {
	whole := message.without()
	if text, ok := whole["content"].(string); ok {
		whole["content"] = []any{Object{"type": "input_text", "text": text}}
	}
	if !whole.Has("id") {
		whole["id"] = id
	}
	whole["status"] = "completed"
	return whole
}

// countTokens answers POST /v1/responses/input_tokens.
func (s *Server) countTokens(x *fakeserver.Exchange) {
	r, e := s.read(x, toCount)
	if e != nil {
		fail(x, e)
		return
	}
	answerJSON(x, Object{"object": "response.input_tokens", "input_tokens": s.prompt(r).tokens})
}
