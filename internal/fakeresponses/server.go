package fakeresponses

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// Config is the script. The zero value accepts every key and every size and gives short answers.
type Config struct {
	// Window is how many tokens of prompt a model takes; a longer request is refused with
	// context_length_exceeded. If zero, there is no limit.
	Window int

	// Count counts the tokens of a text. It must be safe for concurrent use. If nil, four bytes
	// count as a token.
	Count func(model, text string) int

	// Keys are the accepted credentials, as bearer token or api-key. If empty, any is accepted, and
	// so is none. Each is that of another organization, to which encrypted content, stored items
	// and cached prompts belong.
	Keys []string

	// Reply is what the model answers. It must be safe for concurrent use. If nil, one sentence
	// that says how many items came.
	Reply func(*Request) Reply

	// Now is the clock of the prompt cache and of what answers say about time. It must be safe for
	// concurrent use. If nil, time.Now.
	Now func() time.Time

	// Breakpoints caches as gpt-5.6 and later models do, at breakpoints alone: explicit ones, and
	// one that the server sets after the newest message of the user or output of a tool. If unset,
	// that holds for requests in explicit mode alone, and all others read the longest prefix that
	// is known, as older models do.
	Breakpoints bool

	// PlainUsage leaves the member cache_write_tokens_details out of usages. OpenAI's clients
	// declare it as optional, and their Agents SDK for JavaScript (0.20.0) rejects it.
	PlainUsage bool

	// RequirePhase refuses assistant messages that come back without the phase they were given.
	// They are counted in any case: see Findings.
	RequirePhase bool

	// NoCompact answers 404 for /v1/responses/compact.
	NoCompact bool

	// RefuseUpgrade answers 426 to upgrades to WebSocket.
	RefuseUpgrade bool

	// Fault returns what goes wrong with the nth request, counted from 1 in the order of arrival
	// over all paths. It may read r.Body, which holds the whole body. It must be safe for
	// concurrent use. If nil, nothing goes wrong.
	Fault func(n int, r *http.Request) Fault

	// Record keeps every request for Requests.
	Record bool
}

// Fault is what goes wrong with one request.
type Fault = fakeserver.Fault

// Server is a scripted upstream that is running.
type Server struct {
	*fakeserver.Server
	cfg     Config
	state   state
	cache   promptCache
	phases  atomic.Int64 // assistant messages that came back without their phase
	upgrade atomic.Int64 // WebSocket connections that were accepted
}

// Recorded is one request as it arrived, and its outcome.
type Recorded struct {
	fakeserver.Recorded
	Findings
}

// Findings are what the server found out about a request that it accepted.
type Findings struct {
	Usage Usage

	// LongestPrefix is how many tokens a cache would have read that knows every prefix of every
	// request, whatever breakpoints there are.
	LongestPrefix int

	// MissingPhases are the assistant messages of the input without the phase that they were
	// given.
	MissingPhases int

	// MovedReasoning are the reasoning items of the input that are followed by another item than
	// when they were made. OpenAI cannot see that in requests without stored items, and does not
	// refuse it.
	MovedReasoning int
}

// URL returns the base URL for clients, http://127.0.0.1:port/v1.
func (s *Server) URL() string { return s.Origin() + "/v1" }

// Reset clears the recorded requests, what was stored, the prompt cache and the counts. Requests in
// flight are not touched.
func (s *Server) Reset() {
	s.Server.Reset()
	s.state.init()
	s.cache.init()
	s.phases.Store(0)
	s.upgrade.Store(0)
}

// Requests returns the requests so far in order of arrival, those in flight too. It needs
// Config.Record. Bodies and headers are shared: don't change them.
func (s *Server) Requests() []Recorded {
	requests := s.Server.Requests()
	all := make([]Recorded, len(requests))
	for i, r := range requests {
		all[i].Recorded = r
		all[i].Findings, _ = r.Note.(Findings)
	}
	return all
}

// MissingPhases returns how many assistant messages came back without the phase that they were
// given, over all requests.
func (s *Server) MissingPhases() int { return int(s.phases.Load()) }

// WebSockets returns how many upgrades were accepted.
func (s *Server) WebSockets() int { return int(s.upgrade.Load()) }

// tokens counts the tokens of a text.
func (s *Server) tokens(model, text string) int {
	if s.cfg.Count == nil {
		return openaiapi.TokensIn(len(text))
	}
	return s.cfg.Count(model, text)
}

func fail(x *fakeserver.Exchange, e *openaiapi.Error) { x.Answer(e.Status, e.Body()) }

func answerJSON(x *fakeserver.Exchange, v any) { x.Answer(http.StatusOK, fakeserver.EncodeJSON(v)) }

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
