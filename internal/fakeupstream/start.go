package fakeupstream

import (
	"net/http"
	"slices"
	"strings"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// Start starts a scripted upstream on a free port of 127.0.0.1. The caller
// closes it.
func Start(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg}
	s.cache.init()
	var err error
	s.Server, err = fakeserver.Start(fakeserver.Config{
		Handle: func(x *fakeserver.Exchange) { (&exchange{x, s}).route() },
		TooLarge: func(x *fakeserver.Exchange, limit int64) {
			(&exchange{x, s}).fail(openaiapi.TooLarge(limit))
		},
		Header: setHeader, Fault: cfg.Fault, Compress: cfg.Compress, Record: cfg.Record,
	})
	return s, err
}

// New is Start for tests: it panics when loopback has no free port.
func New(cfg Config) *Server { return fakeserver.Must(Start(cfg)) }

// setHeader sets the headers that OpenAI sends.
func setHeader(x *fakeserver.Exchange, h http.Header) {
	openaiapi.SetHeaders(h, x.N, len(x.Body)/openaiapi.BytesPerToken)
}

// route answers the request by its path. Suffixes decide, so that Azure's
// deployments and clients whose base has no /v1 are served too.
func (x *exchange) route() {
	path := x.Request.URL.Path
	switch key := openaiapi.Credential(x.Request); {
	case x.Fault.Status != 0:
		x.ByFault(openaiapi.BodyOf)
	case len(x.s.cfg.Keys) > 0 && !slices.Contains(x.s.cfg.Keys, key):
		x.fail(openaiapi.Unauthorized(key))
	case strings.HasSuffix(path, "/chat/completions"):
		x.chatCompletion()
	case strings.HasSuffix(path, "/embeddings"):
		x.embeddings()
	case strings.HasSuffix(path, "/responses"):
		x.responses()
	case path == "/v1/models" || path == "/models":
		x.listModels()
	case strings.HasPrefix(path, "/v1/models/"):
		x.getModel(strings.TrimPrefix(path, "/v1/models/"))
	default:
		x.echo()
	}
}
