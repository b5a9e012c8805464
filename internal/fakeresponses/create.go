package fakeresponses

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// Usage is what a response cost, in tokens.
type Usage struct {
	Input     int // all of it
	Cached    int // read from the cache, of the input
	Written30 int // written to the cache for 30 minutes or for as long as older models keep it
	Written12 int // written to the cache for 12 hours
	Output    int // with Reasoning
	Reasoning int
}

// json is the usage as clients read it.
func (u Usage) json(plain bool) Object {
	details := Object{"cached_tokens": u.Cached, "cache_write_tokens": u.Written30 + u.Written12}
	if !plain {
		details["cache_write_tokens_details"] = Object{"ttl_30m_tokens": u.Written30,
			"ttl_12h_tokens": u.Written12}
	}
	return Object{
		"input_tokens":          u.Input,
		"input_tokens_details":  details,
		"output_tokens":         u.Output,
		"output_tokens_details": Object{"reasoning_tokens": u.Reasoning},
		"total_tokens":          u.Input + u.Output,
	}
}

// digest is a part of ids: different for each request and each n, and the same whenever the same
// requests come in the same order.
func digest(x *fakeserver.Exchange, n int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d ", x.N, n)
	h.Write(x.Body)
	return hex.EncodeToString(h.Sum(nil)[:24])
}

// create answers POST /v1/responses.
func (s *Server) create(x *fakeserver.Exchange) {
	r, e := s.read(x, toCreate)
	if e != nil {
		fail(x, e)
		return
	}
	findings := Findings{MovedReasoning: movedReasoning(r)}
	missing, at := s.state.missingPhases(r)
	findings.MissingPhases = missing
	s.phases.Add(int64(missing))
	if missing > 0 && s.cfg.RequirePhase {
		fail(x, openaiapi.Lacks(inputAt(at)+".phase"))
		return
	}
	p := s.prompt(r)
	if s.refuses(x, r, &p) {
		return
	}
	a := &answer{s: s, x: x, r: r, findings: findings}
	if !triggers(r) {
		a.reply = s.reply(r)
	}
	if a.reply.Status != 0 {
		fail(x, openaiapi.ErrorOf(a.reply.Status))
		return
	}
	a.build(p)
	x.Note(a.findings)
	if r.Stream() {
		a.stream()
		return
	}
	a.whole()
}

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
