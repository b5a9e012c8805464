package main

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
)

// guard is the HTTP proxy of the agents: it lets nothing out, and keeps the names of the hosts that
// they tried to reach.
type guard struct {
	url    string
	server *http.Server

	mu   sync.Mutex
	seen map[string]bool
}

// startGuard starts a guard on a free port of loopback. The caller closes it.
func startGuard() (*guard, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the proxy that lets nothing out: %w", err)
	}
	g := &guard{url: "http://" + listener.Addr().String(), seen: map[string]bool{}}
	g.server = &http.Server{ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.mu.Lock()
			g.seen[r.Host] = true
			g.mu.Unlock()
			http.Error(w, "no way out", http.StatusForbidden)
		})}
	go func() { _ = g.server.Serve(listener) }() // ends with ErrServerClosed, by close alone
	return g, nil
}

func (g *guard) close() { _ = g.server.Close() }

func (g *guard) hosts() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.seen))
}
