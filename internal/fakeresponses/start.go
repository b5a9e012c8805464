package fakeresponses

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// Start starts a scripted upstream on a free port of 127.0.0.1. The caller closes it.
func Start(cfg Config) (*Server, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Server{cfg: cfg}
	s.state.init()
	s.cache.init()
	var err error
	s.Server, err = fakeserver.Start(fakeserver.Config{
		Handle: s.route,
		TooLarge: func(x *fakeserver.Exchange, limit int64) {
			fail(x, openaiapi.TooLarge(limit))
		},
		Header: func(x *fakeserver.Exchange, h http.Header) {
			openaiapi.SetHeaders(h, x.N, openaiapi.TokensIn(len(x.Body)))
		},
		Fault: cfg.Fault, Record: cfg.Record,
	})
	return s, err
}

// New is Start for tests: it panics when loopback has no free port.
func New(cfg Config) *Server { return fakeserver.Must(Start(cfg)) }

// route answers the request by its path, with and without /v1 before it.
func (s *Server) route(x *fakeserver.Exchange) {
	path := strings.TrimPrefix(x.Request.URL.Path, "/v1")
	post := x.Request.Method == http.MethodPost
	switch key := openaiapi.Credential(x.Request); {
	case x.Fault.Status != 0:
		x.ByFault(openaiapi.BodyOf)
	case len(s.cfg.Keys) > 0 && !slices.Contains(s.cfg.Keys, key):
		fail(x, openaiapi.Unauthorized(key))
	case path == "/responses" && upgrades(x.Request):
		s.acceptWebSocket(x)
	case path == "/responses" && post:
		s.create(x)
	case path == "/responses/compact" && post && !s.cfg.NoCompact:
		s.compact(x)
	case path == "/responses/input_tokens" && post:
		s.countTokens(x)
	case path == "/conversations" && post:
		s.startConversation(x)
	case strings.HasPrefix(path, "/responses/") && !post:
		s.storedResponse(x, strings.TrimPrefix(path, "/responses/"))
	case path == "/responses":
		fail(x, openaiapi.NotAllowed())
	default:
		fail(x, notFound("", "Invalid URL (%s %s)", x.Request.Method, x.Request.URL.Path))
	}
}
