package fakemessages

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

// maxBody is the most bytes of a request (https://platform.claude.com/docs/en/api/errors).
const maxBody = 32 << 20

// Config is the script. The zero value accepts every key and every size, answers with a short
// text, thinks where the model does, and refuses thinking whose prefix has changed, as for accounts
// made since 31 August 2026. Functions must be safe for concurrent use.
type Config struct {
	// Keys are the accepted credentials, as x-api-key or bearer token. If empty, any is accepted.
	Keys []string

	// Models are models besides those of claude.Named, or instead of them, by their whole names.
	Models map[string]claude.Model

	// Reply is what the model answers. If nil, one sentence that says how many messages came.
	Reply func(*Request) Reply

	// Think is the text of the thinking that replies start with where the model thinks and Reply
	// gives none. If nil, one sentence.
	Think func(*Request) string

	// Summarize is the text of a summary that was asked for with compaction. If nil, one sentence
	// that says how many messages came.
	Summarize func(*Request) string

	// NoSummary is the stop reason of an answer to a request for a summary that has none, "" where
	// it has one. If nil, all have.
	NoSummary func(*Request) string

	// Window returns how many tokens a model takes, 0 for no limit. If nil, there is none.
	Window func(model string) int

	// Overflow is how a request that is too long is answered. If empty, by the model.
	Overflow Overflow

	// Text counts the tokens of a text. If nil, four bytes count as a token.
	Text func(string) int

	// Factor multiplies what Text counts. If nil, by 1; Factors is what Anthropic's tokenizers
	// count beside o200k.
	Factor func(m claude.Model, kind Kind) float64

	// CountsEveryBlock is set for platforms where the look-back of the prompt cache counts each
	// call and each result, not runs of them.
	CountsEveryBlock bool

	// OlderAccount lets thinking pass whose prefix has changed, unless the request says what is to
	// be done about it.
	OlderAccount bool

	// Secret signs thinking. Servers with the same secret accept the thinking of each other. If
	// nil, all servers have the same.
	Secret []byte

	// Now is the clock of the prompt cache. If nil, time.Now.
	Now func() time.Time

	// Fault returns what goes wrong with the nth request, counted from 1 in the order of arrival.
	// If nil, nothing goes wrong.
	Fault func(n int, r *http.Request) fakeserver.Fault

	// MaxBody is the most bytes of a request; if zero, 32 MiB.
	MaxBody int64

	// Compress encodes answers with gzip or deflate for clients that accept it.
	Compress bool

	// Record keeps every request for Requests.
	Record bool
}

// Request is a request that was accepted, for scripts to answer.
type Request = request.Request

// Server is a scripted upstream that is running.
type Server struct {
	*fakeserver.Server
	cfg   Config
	cache promptCache
}

// Recorded is one request as it arrived, and its outcome.
type Recorded struct {
	fakeserver.Recorded
	Found
}

// Found is what was found out about a request.
type Found struct {
	Usage     Usage  // zero but for requests that were accepted
	ByPrefix  int    // tokens that a cache of the longest prefix would have read
	Dropped   int    // thinking blocks that were dropped
	Refused   string // the message of a refusal, "" if there was none
	ErrorCode string // error.details.error_code of a refusal
}

// Start starts a scripted upstream on a free port of 127.0.0.1. The caller closes it.
func Start(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg}
	s.cache.forget()
	var err error
	s.Server, err = fakeserver.Start(fakeserver.Config{
		Handle: func(x *fakeserver.Exchange) { (&exchange{x, s}).route() },
		TooLarge: func(x *fakeserver.Exchange, _ int64) {
			(&exchange{x, s}).fail(request.ErrorOf(http.StatusRequestEntityTooLarge))
		},
		Header: setHeader, MaxBody: cmp.Or(cfg.MaxBody, maxBody), Fault: cfg.Fault,
		Compress: cfg.Compress, Record: cfg.Record,
	})
	return s, err
}

// New is Start for tests: it panics when loopback has no free port.
func New(cfg Config) *Server { return fakeserver.Must(Start(cfg)) }

// URL returns the base URL for clients, http://127.0.0.1:port, to which they add /v1/messages.
func (s *Server) URL() string { return s.Origin() }

// Reset clears the recorded requests, the prompt cache and the count of arrivals.
func (s *Server) Reset() {
	s.Server.Reset()
	s.cache.forget()
}

// Requests returns the requests so far in order of arrival, those in flight too. It needs
// Config.Record. Bodies and headers are shared: don't change them.
func (s *Server) Requests() []Recorded {
	requests := s.Server.Requests()
	all := make([]Recorded, len(requests))
	for i, r := range requests {
		all[i].Recorded = r
		all[i].Found, _ = r.Note.(Found)
	}
	return all
}

func (s *Server) secret() []byte {
	if s.cfg.Secret != nil {
		return s.cfg.Secret
	}
	return []byte("scripted")
}

// rules are how the server binds thinking.
func (s *Server) rules() thinking.Rules {
	return thinking.Rules{Secret: s.secret(), Models: s.cfg.Models,
		OlderAccount: s.cfg.OlderAccount}
}

func (s *Server) now() time.Time {
	if s.cfg.Now != nil {
		return s.cfg.Now()
	}
	return time.Now()
}

// exchange is one request and the answer to it.
type exchange struct {
	*fakeserver.Exchange
	s *Server
}

// setHeader sets the headers that Anthropic sends.
func setHeader(x *fakeserver.Exchange, h http.Header) {
	h.Set("Request-Id", requestID(x.N))
	h.Set("Anthropic-Organization-Id", "scripted")
	h.Set("Anthropic-Ratelimit-Requests-Limit", "10000")
	h.Set("Anthropic-Ratelimit-Requests-Remaining", strconv.Itoa(max(0, 10000-x.N)))
	h.Set("Anthropic-Ratelimit-Tokens-Limit", "30000000")
	switch x.Fault.Status {
	case http.StatusTooManyRequests, request.Overloaded:
		h.Set("Retry-After", "1")
		h.Set("X-Should-Retry", "true")
	}
}

func requestID(n int) string { return fmt.Sprintf("req_%016x", n) }

// route answers the request by its path.
func (x *exchange) route() {
	key := x.credential()
	header := x.Request.Header
	on := request.CloudOf(x.Request.URL.Path)
	switch path := x.Request.URL.Path; {
	case x.Fault.Status != 0:
		x.ByFault(func(status int) []byte { return request.ErrorOf(status).Body(requestID(x.N)) })
	case on.Model == "" && !strings.HasSuffix(path, "/messages") &&
		!strings.HasSuffix(path, "/count_tokens"):
		x.fail(request.ErrorOf(http.StatusNotFound))
	case x.Request.Method != http.MethodPost:
		x.fail(request.ErrorOf(http.StatusMethodNotAllowed))
	case len(x.s.cfg.Keys) > 0 && key == "":
		x.fail(&request.Error{Status: http.StatusUnauthorized, Type: "authentication_error",
			Message: "x-api-key header is required"})
	case len(x.s.cfg.Keys) > 0 && !slices.Contains(x.s.cfg.Keys, key):
		x.fail(request.ErrorOf(http.StatusUnauthorized))
	case on.Model == "" && header.Get("Anthropic-Version") == "":
		x.fail(request.Invalid("anthropic-version: header is required"))
	default:
		x.messages(strings.HasSuffix(path, "/count_tokens"), on)
	}
}

// credential returns the key that the request carries, "" if none.
func (x *exchange) credential() string {
	if key, ok := strings.CutPrefix(x.Request.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return x.Request.Header.Get("X-Api-Key")
}

// fail answers with e and notes it.
func (x *exchange) fail(e *request.Error) {
	x.Note(Found{Refused: e.Message, ErrorCode: e.Code})
	x.Answer(e.Status, e.Body(requestID(x.N)))
}

// messages answers a request for a message or for a count.
func (x *exchange) messages(counting bool, on request.Cloud) {
	body, err := x.DecodedBody()
	if err != nil {
		x.fail(request.Invalid("%s", err))
		return
	}
	req, refused := request.Parse(body, x.Request.Header, counting, on, x.s.cfg.Models)
	if refused != nil {
		x.fail(refused)
		return
	}
	prefix, reported, refused := thinking.Bind(req, x.s.rules())
	if refused != nil {
		x.fail(refused)
		return
	}
	if counting {
		x.countTokens(req)
		return
	}
	x.answerMessage(&answer{x: x, req: req, prefix: prefix, reported: reported})
}

// countTokens answers with the count of the input, which no cache changes.
func (x *exchange) countTokens(req *Request) {
	n := x.s.layout(req, "").tokens()
	count := map[string]any{"input_tokens": n}
	if v, _ := req.Fields.Get("context_management"); v != nil {
		count["context_management"] = map[string]int{"original_input_tokens": n}
	}
	x.Answer(http.StatusOK, fakeserver.EncodeJSON(count))
}
