package fakeresponses

import (
	"slices"

	"killick/internal/fakeserver"
)

// answer is the answer to one accepted request.
type answer struct {
	s        *Server
	x        *fakeserver.Exchange
	r        *Request
	reply    Reply
	items    []Object // the output
	findings Findings
}

// build makes the output, looks the prompt up in the cache, and stores the response.
func (a *answer) build(p prompt) {
	id := func(n int) string { return digest(a.x, n) }
	use := a.s.use(a.r, p)
	usage := Usage{Input: p.tokens, Cached: use.read, Written30: use.written30,
		Written12: use.written12}
	switch {
	case triggers(a.r):
		a.items = []Object{compactionItem(a.r, p.tokens, id(0))}
	case a.compacts(p):
		a.items = append(a.items, compactionItem(a.r, p.tokens, id(-1)))
		fallthrough
	default:
		a.items = append(a.items, a.r.output(a.reply, id)...)
		if a.r.reasons(a.reply) {
			usage.Reasoning = reasoningTokens
		}
	}
	usage.Output = usage.Reasoning
	for _, item := range a.items {
		if item.Text("type") == "reasoning" {
			item = item.without("encrypted_content")
		}
		usage.Output += a.s.tokensOf(a.r, item.without("id", "status"))
	}
	a.findings.Usage, a.findings.LongestPrefix = usage, use.longest
	a.s.keep(a.r, a.id(), a.response(a.status(), a.items), a.items, len(a.x.Body))
}

func (a *answer) id() string { return "resp_" + digest(a.x, -2) }

// status is that of the whole response.
func (a *answer) status() string {
	if a.reply.Incomplete != "" {
		return "incomplete"
	}
	return "completed"
}

// whole answers in one body.
func (a *answer) whole() {
	answerJSON(a.x, a.response(a.status(), a.items))
}

// echoed are members of requests that the response repeats, and what it says without them.
var echoed = Object{
	"background": false, "conversation": nil, "instructions": nil, "max_output_tokens": nil,
	"max_tool_calls": nil, "metadata": Object{}, "parallel_tool_calls": true,
	"previous_response_id": nil, "prompt": nil, "prompt_cache_key": nil,
	"prompt_cache_retention": nil, "reasoning": Object{"effort": "medium", "summary": nil},
	"safety_identifier": nil, "temperature": 1, "text": Object{"format": Object{"type": "text"}},
	"tool_choice": "auto", "tools": []any{}, "top_logprobs": 0, "top_p": 1,
	"truncation": "disabled", "user": nil,
}

// response is the response object with a status and so much of its output.
func (a *answer) response(status string, items []Object) Object {
	body := echoed.without()
	for name := range echoed {
		if a.r.Body.Has(name) {
			body[name] = a.r.Body[name]
		}
	}
	if id := a.r.conversation(); id != "" {
		body["conversation"] = Object{"id": id}
	}
	created := a.s.cfg.Now().Unix()
	body["id"], body["object"], body["created_at"] = a.id(), "response", created
	body["status"], body["model"] = status, a.r.Model
	body["access_programs"] = Object{"cyber": nil}
	body["error"], body["incomplete_details"], body["usage"] = nil, nil, nil
	body["service_tier"], body["store"] = "default", a.r.stores()
	if items == nil {
		items = []Object{}
	}
	body["output"] = items
	switch status {
	case "completed":
		body["completed_at"] = created
	case "incomplete":
		body["incomplete_details"] = Object{"reason": a.reply.Incomplete}
	}
	if status == "completed" || status == "incomplete" {
		body["usage"] = a.findings.Usage.json(a.s.cfg.PlainUsage)
	}
	return body
}

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

// use looks a prompt up and remembers it.
func (s *Server) use(r *Request, p prompt) cacheUse {
	c, now := &s.cache, s.cfg.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	prefixes := c.prefixes(p)
	use := c.longest(prefixes, now, retention(r))
	explicit := r.Body.Object("prompt_cache_options").Text("mode") == "explicit"
	if !explicit && !s.cfg.Breakpoints {
		use.read = use.longest
		use.written30 = max(0, eligible(p.tokens)-use.read)
		return use
	}
	var points []breakpoint
	for i, segment := range p.segments {
		if segment.marked || segment.managed && !explicit {
			point := prefixes[i+1]
			point.managed, point.explicit = segment.managed, segment.marked
			point.ttl = segment.ttl
			points = append(points, point)
		}
	}
	c.match(points, now, &use)
	c.write(points, explicit, now, &use)
	return use
}
