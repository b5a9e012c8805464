// Package proxy is the HTTP side of Killick: a transparent reverse proxy in
// front of one upstream or several, with a pipeline for chat requests
// that lets a Compactor decide what to forward.
//
// It forwards unedited bytes byte for byte in both directions, flushes every chunk
// immediately, and never fails a request because of an internal error. It never
// decides what is compacted, never counts tokens, never lets a client choose the
// upstream, and never writes a credential, a prompt, a completion or a query string
// to a log, an error or a metric label.
//
// walk.go has the steps of a request in order, and routes.go which requests are answered here, go
// through the pipeline, or pass through.
package proxy

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/keepalive"
	"killick/proxy/stored"
	"killick/proxy/target"
	"killick/view"
)

// Proxy is a running proxy. Its methods are safe for concurrent use.
type Proxy struct {
	opt                       Options
	upstreams                 []*target.Connected
	rules                     []target.Rule // of the upstreams, in their order
	keys                      auth.Keys
	identity                  *auth.Identity
	budget                    *body.Budget
	metrics                   *metrics
	keeper                    *keepalive.Keeper // nil: no prompt cache is kept alive
	reverseChat, reverseOther *httputil.ReverseProxy
	routes                    *gin.Engine // of the public listener
	stored                    stored.Paths
	admin                     http.Handler
	// knows how far it has read each conversation of each credential
	parser view.Parser

	draining atomic.Bool
	upgraded atomic.Int64 // connections that switched to another protocol
	deciding atomic.Int64 // goroutines in the Compactor, including abandoned ones
}

// AdminHandler serves the operator: /metrics, /healthz, /readyz and the admin
// API. Without an AdminToken it belongs on a loopback listener.
func (p *Proxy) AdminHandler() http.Handler { return p.admin }

// Close closes idle connections to the upstream and waits, for at most a few seconds, for abandoned
// calls of the Compactor. It must be called after serving has ended.
func (p *Proxy) Close() {
	p.keeper.Close()
	for _, u := range p.upstreams {
		u.CloseIdle()
	}
	ctx, cancel := context.WithTimeout(context.Background(), deciding)
	defer cancel()
	_ = waitZero(ctx, &p.deciding) // a hung call must not keep the process alive
}

// waitZero waits until n is 0.
func waitZero(ctx context.Context, n *atomic.Int64) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// deciding is how long to wait for the decisions about requests that were cut off.
const deciding = 5 * time.Second

// failOpenOnPanic is deferred around work that a request can do without.
func (p *Proxy) failOpenOnPanic(where string) {
	if v := recover(); v != nil {
		p.reportPanic(where, v)
		p.metrics.failOpens.With("panic").Inc()
	}
}

// reportPanic counts and logs a panic that was recovered from. Its value may quote a prompt, so
// only its type is logged, and the text of the runtime's own errors, which contains indices and
// type names.
func (p *Proxy) reportPanic(where string, v any) {
	p.metrics.panics.Inc()
	text := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		text = err.Error()
	}
	p.opt.Logger.Error("recovered from a panic",
		slog.String("where", where), slog.String("panic", text),
		slog.String("stack", string(debug.Stack())))
}
