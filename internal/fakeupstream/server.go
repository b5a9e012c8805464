package fakeupstream

import (
	"net/http"

	"killick/chat"
	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
	"killick/view"
)

// Config is the script. The zero value accepts every key and every size and
// gives short answers.
type Config struct {
	// Window is how many tokens of prompt a model takes; a longer request is
	// refused with context_length_exceeded. If zero, there is no limit.
	Window int

	// Windows is the window of each model, by its name; 0 is no limit. It must be
	// safe for concurrent use. If nil, all have Window.
	Windows func(model string) int

	// Refusal is how a request that is too long is refused. The zero Refusal is
	// OpenAI's.
	Refusal Refusal

	// Count counts the tokens of each message and those of all that a request holds besides (tools,
	// the start of the reply). It must be safe for concurrent use. If nil, four bytes of JSON count
	// as a token.
	Count func(*view.Request) (perMessage []int, fixed int)

	// Keys are the accepted credentials, as bearer token or api-key. If empty, any is accepted, and
	// so is none.
	Keys []string

	// Reply is what the model answers. It must be safe for concurrent use. If
	// nil, one sentence that says how many messages came.
	Reply func(*view.Request) Reply

	// Scripted answers requests for a summary, for questions and for answers,
	// whatever model they name. If nil, those to a model that is named
	// scripted/KIND or scripted/KIND:VARIANT are answered by such a one, and others
	// by Reply.
	Scripted *Scripted

	// Unsupported are members of requests that are refused as OpenAI refuses what
	// a model does not know, such as max_completion_tokens; the types of
	// response_format, json_schema and json_object, among them.
	Unsupported []string

	// Fault returns what goes wrong with the nth request, counted from 1 in the
	// order of arrival over all paths. It may read r.Body, which holds the whole
	// body. It must be safe for concurrent use. If nil, nothing goes wrong.
	Fault func(n int, r *http.Request) Fault

	// StrictTurns refuses what CheckTurns does.
	StrictTurns bool

	// Compress encodes answers with gzip or deflate for clients that accept it.
	Compress bool

	// Record keeps every request for Requests.
	Record bool
}

// Fault is what goes wrong with one request.
type Fault = fakeserver.Fault

// Recorded is one request as it arrived, and its outcome.
type Recorded struct {
	fakeserver.Recorded
	Usage chat.Usage // zero but for chat requests that were accepted
}

// Server is a scripted upstream that is running.
type Server struct {
	*fakeserver.Server
	cfg   Config
	cache promptCache
}

// exchange is one request and the answer to it.
type exchange struct {
	*fakeserver.Exchange
	s *Server
}

// URL returns the base URL for clients, http://127.0.0.1:port/v1.
func (s *Server) URL() string { return s.Origin() + "/v1" }

// Reset clears the recorded requests, the prompt cache and the count of arrivals. Requests in
// flight are not touched.
func (s *Server) Reset() {
	s.Server.Reset()
	s.cache.forget()
}

// Requests returns the requests so far in order of arrival, those in flight
// too. It needs Config.Record. Bodies and headers are shared: don't change them.
func (s *Server) Requests() []Recorded {
	requests := s.Server.Requests()
	all := make([]Recorded, len(requests))
	for i, r := range requests {
		all[i].Recorded = r
		all[i].Usage, _ = r.Note.(chat.Usage)
	}
	return all
}

// answerJSON answers with v as a JSON body.
func (x *exchange) answerJSON(v any) { x.Answer(http.StatusOK, fakeserver.EncodeJSON(v)) }

// event writes data as one server-sent event, without a name as OpenAI's are.
func (x *exchange) event(data []byte) { x.Event("", data) }

// fail answers with e.
func (x *exchange) fail(e *openaiapi.Error) { x.Answer(e.Status, e.Body()) }
