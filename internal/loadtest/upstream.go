package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"
)

// Headers with which a request controls the upstream. Every proxy forwards them.
const (
	headerEvents = "X-Script-Events" // answer with a stream of this number of events
	headerPause  = "X-Script-Pause"  // the time between them
	headerID     = "X-Script-Id"     // record under this name when the client leaves
)

// upstream answers chats with as little work as possible, so that mainly the proxy is measured.
type upstream struct {
	mu   sync.Mutex
	left map[string]time.Time // when a request was canceled, by its name
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/left" {
		u.mu.Lock()
		defer u.mu.Unlock()
		_ = json.NewEncoder(w).Encode(u.left)
		return
	}
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if events, err := strconv.Atoi(r.Header.Get(headerEvents)); err == nil {
		u.stream(w, r, events)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer(r.URL.Path, n))
}

func (u *upstream) stream(w http.ResponseWriter, r *http.Request, events int) {
	pause, _ := time.ParseDuration(r.Header.Get(headerPause))
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range events {
		if i > 0 && pause > 0 {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				if id := r.Header.Get(headerID); id != "" {
					u.mu.Lock()
					u.left[id] = time.Now()
					u.mu.Unlock()
				}
				return
			}
		}
		fmt.Fprintf(w,
			`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,`+
				`"model":"scripted",`+
				`"choices":[{"index":0,"delta":{"content":"word %d "},"finish_reason":null}]}`+
				"\n\n", i)
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// runUpstream serves the upstream and prints its address.
func runUpstream(ctx context.Context, _ []string) error {
	return serveHere(ctx, &upstream{left: map[string]time.Time{}})
}

// runBare serves the standard library's reverse proxy, which inspects nothing.
func runBare(ctx context.Context, args []string) error {
	target, err := url.Parse(args[0])
	if err != nil {
		return fmt.Errorf("the upstream's URL: %w", err)
	}
	return serveHere(ctx, &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true},
		ErrorLog:      log.New(io.Discard, "", 0),
	})
}

func serveHere(ctx context.Context, h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+l.Addr().String())
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}
