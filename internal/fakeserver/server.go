package fakeserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// defaultMaxBody is the most bytes of one request's body that are read.
	defaultMaxBody = 256 << 20
	// maxAhead is the most memory that is set aside for a body on the word of
	// its Content-Length.
	maxAhead = 1 << 20
)

// Config is what a scripted upstream makes of the server.
type Config struct {
	// Handle answers a request; Fault.Status too is for it to answer, as ByFault does. It must be
	// safe for concurrent use.
	Handle func(*Exchange)

	// TooLarge answers a request whose body is larger than limit. It must be safe for concurrent
	// use.
	TooLarge func(x *Exchange, limit int64)

	// Header sets the headers of the API's own before the answer's header is written. If nil, there
	// are none.
	Header func(*Exchange, http.Header)

	// MaxBody is the most bytes of one request's body that are read; if zero, 256 MiB.
	MaxBody int64

	// Fault returns what goes wrong with the nth request, counted from 1 in the
	// order of arrival over all paths. It may read r.Body, which holds the whole
	// body. It must be safe for concurrent use. If nil, nothing goes wrong.
	Fault func(n int, r *http.Request) Fault

	// Compress encodes answers with gzip or deflate for clients that accept it.
	Compress bool

	// Record keeps every request for Requests.
	Record bool
}

// Server is a server that is running.
type Server struct {
	cfg      Config
	http     *http.Server
	origin   string
	served   chan struct{} // closed when the accept loop has ended
	stop     context.Context
	stopNow  context.CancelFunc
	arrivals atomic.Int64

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup // Add only with mu held and closed unset
	records  []*Recorded
}

// Start starts a server on a free port of 127.0.0.1. The caller closes it.
func Start(cfg Config) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the scripted upstream: %w", err)
	}
	cfg.MaxBody = cmp.Or(cfg.MaxBody, defaultMaxBody)
	s := &Server{cfg: cfg, origin: "http://" + listener.Addr().String(),
		served: make(chan struct{})}
	s.stop, s.stopNow = context.WithCancel(context.Background())
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

// Must returns a server that was started, and panics if there is no free port.
func Must[S any](s S, err error) S {
	if err != nil {
		panic(err)
	}
	return s
}

// Origin returns the URL of the server without a path, http://127.0.0.1:port.
func (s *Server) Origin() string { return s.origin }

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

// Reset clears the recorded requests and the count of arrivals. Requests in flight are not touched.
func (s *Server) Reset() {
	s.mu.Lock()
	s.records = nil
	s.mu.Unlock()
	s.arrivals.Store(0)
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

	x := &Exchange{s: s, w: w, Request: r.WithContext(ctx), N: int(s.arrivals.Add(1))}
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), maxAhead)) + bytes.MinRead)
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
	x.Body = body.Bytes()
	x.record = s.keep(x)
	defer x.end()
	if err != nil {
		x.readingFailed(err)
		return
	}
	x.prepareFault()
	s.cfg.Handle(x)
	x.done = true
}

// readingFailed answers a body that did not come whole.
func (x *Exchange) readingFailed(err error) {
	var tooLarge *http.MaxBytesError
	if !errors.As(err, &tooLarge) {
		panic(http.ErrAbortHandler) // the client has left
	}
	x.s.cfg.TooLarge(x, tooLarge.Limit)
}
