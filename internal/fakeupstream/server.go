package fakeupstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"killick/view"
)

const (
	// maxBody is the most bytes of one request's body that are read.
	maxBody = 256 << 20
	// maxAhead is the most memory that is set aside for a body on the word of
	// its Content-Length.
	maxAhead = 1 << 20
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

	// Count counts the tokens of each message and those of all that a request
	// holds besides (tools, the start of the reply). It must be safe for
	// concurrent use. If nil, a token is taken for four bytes of JSON.
	Count func(*view.Request) (perMessage []int, fixed int)

	// Keys are the accepted credentials, as bearer token or api-key. If empty,
	// any is accepted, none too.
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

// Server is a scripted upstream that is running.
type Server struct {
	cfg      Config
	http     *http.Server
	origin   string
	served   chan struct{} // closed when the accept loop has ended
	stop     context.Context
	stopNow  context.CancelFunc
	arrivals atomic.Int64
	cache    promptCache

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup // Add only with mu held and closed unset
	records  []*Recorded
}

// Start starts a scripted upstream on a free port of 127.0.0.1. The caller
// closes it.
func Start(cfg Config) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the scripted upstream: %w", err)
	}
	s := &Server{cfg: cfg, origin: "http://" + listener.Addr().String(),
		served: make(chan struct{})}
	s.stop, s.stopNow = context.WithCancel(context.Background())
	s.cache.init()
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // ends with ErrServerClosed, by Close alone
	}()
	return s, nil
}

// New is Start for tests: it panics when loopback has no free port.
func New(cfg Config) *Server {
	s, err := Start(cfg)
	if err != nil {
		panic(err)
	}
	return s
}

// URL returns the base URL for clients, http://127.0.0.1:port/v1.
func (s *Server) URL() string { return s.origin + "/v1" }

// Close ends what is being answered, hanging requests too, and waits for it. A
// request that comes later finds the port closed. It may be called twice.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stopNow()
	_ = s.http.Close()
	s.handlers.Wait()
	<-s.served
}

// Reset forgets the recorded requests, the prompt cache and the count of
// arrivals. Requests in flight are not touched.
func (s *Server) Reset() {
	s.mu.Lock()
	s.records = nil
	s.mu.Unlock()
	s.arrivals.Store(0)
	s.cache.forget()
}

// enter registers a handler, false if the server is closing.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handlers.Add(1)
	return true
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handlers.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.stop, cancel)()

	x := &exchange{s: s, w: w, r: r.WithContext(ctx), n: int(s.arrivals.Add(1))}
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), maxAhead)) + bytes.MinRead)
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	x.body = body.Bytes()
	x.record = s.keep(x)
	defer x.end()
	if err != nil {
		x.readingFailed(err)
		return
	}
	x.prepareFault()
	x.route()
	x.done = true
}

// readingFailed answers a body that did not come whole.
func (x *exchange) readingFailed(err error) {
	var tooLarge *http.MaxBytesError
	if !errors.As(err, &tooLarge) {
		panic(http.ErrAbortHandler) // the client has left
	}
	x.fail(apiError{status: http.StatusRequestEntityTooLarge, typ: invalidRequest,
		message: fmt.Sprintf("Request body is larger than %d bytes.", tooLarge.Limit)})
}

// route answers the request by its path. Suffixes decide, so that Azure's
// deployments and clients whose base has no /v1 are served too.
func (x *exchange) route() {
	path := x.r.URL.Path
	switch key := x.credential(); {
	case x.fault.Status != 0:
		x.failByFault()
	case len(x.s.cfg.Keys) > 0 && !slices.Contains(x.s.cfg.Keys, key):
		x.fail(unauthorized(key))
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

// credential returns the key that the request carries, "" if none.
func (x *exchange) credential() string {
	if key, ok := strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return x.r.Header.Get("Api-Key")
}
