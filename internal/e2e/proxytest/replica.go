// Package proxytest runs the proxy as the command serve does, for end-to-end tests, and sends
// requests to it. It checks nothing.
package proxytest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/internal/wire"
)

// Replica is a running proxy.
type Replica struct {
	Public, Admin string // base URLs
	Config        config.Config
	// Stop ends it and closes its store. It may be called twice, and is called when the test ends.
	Stop func()
}

// Serve starts the proxy on free ports. It fails if the proxy refuses the configuration.
func Serve(t testing.TB, c config.Config, log *slog.Logger) (*Replica, error) {
	t.Helper()
	a, err := wire.Build(c, log)
	if err != nil {
		return nil, err
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- a.Proxy.Serve(ctx, listeners[0], listeners[1]) }()
	r := &Replica{
		Public: "http://" + listeners[0].Addr().String(),
		Admin:  "http://" + listeners[1].Addr().String(),
		Config: c,
		Stop: sync.OnceFunc(func() {
			cancel()
			if err := <-served; err != nil {
				t.Error(err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}),
	}
	t.Cleanup(r.Stop)
	return r, nil
}

// Ask sends a request to a path of the public listener.
func (r *Replica) Ask(
	t testing.TB, method, path string, body []byte, header ...string,
) Answer {
	t.Helper()
	return Ask(t, method, r.Public+path, body, header...)
}

// Total returns the sum of a metric over its labels. The name is without "killick_".
func (r *Replica) Total(t testing.TB, name string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(string(Ask(t, http.MethodGet, r.Admin+"/metrics", nil).Body)) {
		rest, ok := strings.CutPrefix(line, "killick_"+name)
		if !ok || rest[0] != ' ' && rest[0] != '{' {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):]), 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sum += n
	}
	return sum
}
