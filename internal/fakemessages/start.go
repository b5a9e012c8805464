package fakemessages

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

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
		Header: setHeader, MaxBody: maxBody, Fault: cfg.Fault,
		Record: cfg.Record,
	})
	return s, err
}

// New is Start for tests: it panics when loopback has no free port.
func New(cfg Config) *Server { return fakeserver.Must(Start(cfg)) }

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
	case len(x.s.cfg.Keys) > 0 && on.Model == "" && header.Get("Authorization") != "" &&
		!strings.HasPrefix(key, oauthToken):
		x.fail(&request.Error{Status: http.StatusUnauthorized, Type: "authentication_error",
			Message: "Invalid bearer token"})
	case len(x.s.cfg.Keys) > 0 && !slices.Contains(x.s.cfg.Keys, key):
		x.fail(request.ErrorOf(http.StatusUnauthorized))
	case on.Model == "" && header.Get("Anthropic-Version") == "":
		x.fail(request.Invalid("anthropic-version: header is required"))
	default:
		x.messages(strings.HasSuffix(path, "/count_tokens"), on)
	}
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
	prefix, reported, refused := thinking.Bind(req, x.s.cfg.Models)
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
