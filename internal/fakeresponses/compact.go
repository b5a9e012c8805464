package fakeresponses

import (
	"slices"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// tokensOfSummary is how many tokens the model sees at most of a compacted conversation.
const tokensOfSummary = 500

// compactionItem returns the item that stands for a conversation of this many tokens.
func compactionItem(r *Request, tokens int, id string) Object {
	id = "cmp_" + id
	return Object{"type": "compaction", "id": id, "encrypted_content": seal(r.organization,
		sealed{Type: "compaction", ID: id, Tokens: min(tokens, tokensOfSummary)})}
}

// triggers reports whether the request asks for nothing but compaction.
func triggers(r *Request) bool { return r.Last().Text("type") == "compaction_trigger" }

// compacts reports whether the request asks for compaction at its size.
func (a *answer) compacts(p prompt) bool {
	return slices.ContainsFunc(a.r.Body.Objects("context_management"), func(entry Object) bool {
		return entry.Has("compact_threshold") && p.tokens > entry.int("compact_threshold")
	})
}

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
