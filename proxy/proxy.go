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
	"net/http"
	"net/http/httputil"
	"slices"
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
	upstreams                 []*upstream
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

// New returns a proxy, or all errors of opt at once. The caller serves its Handler,
// or calls Serve, and finally calls Close.
func New(opt Options) (*Proxy, error) {
	if err := opt.withDefaults().validate(); err != nil {
		return nil, fmt.Errorf("configuring the proxy: %w", err)
	}
	opt = opt.withDefaults()
	p := &Proxy{
		opt:    opt,
		keys:   slices.Clone(opt.Keys),
		budget: body.NewBudget(opt.MaxHeld, opt.Timeouts.BudgetWait),
		parser: view.Parser{MaxBytes: opt.Memory},
	}
	p.identity = auth.NewIdentity(opt.Isolation, p.keys, opt.Who)
	var err error
	if p.metrics, err = newMetrics(opt.Registry, opt.Version, p.keys, measured{
		held:  p.budget.Held,
		known: func() float64 { return float64(p.parser.Bytes()) },
		own:   opt.OwnTokens,
	}); err != nil {
		return nil, fmt.Errorf("registering metrics: %w", err)
	}
	p.keeper, err = keepalive.New(opt.CacheKeepAlive, opt.Logger, opt.Registry)
	if err != nil {
		return nil, err
	}
	for _, u := range opt.upstreams() {
		p.upstreams = append(p.upstreams, newUpstream(u, opt.Timeouts))
		p.rules = append(p.rules, u.Takes)
	}
	p.reverseChat, p.reverseOther = p.newReverse(chatBufferSize), p.newReverse(copyBufferSize)
	p.stored = stored.Paths{Originals: opt.Originals, Summaries: opt.Summaries, Eraser: opt.Eraser,
		Identity: p.identity, Logger: opt.Logger, Keeper: p.keeper, Parser: &p.parser,
		Budget: p.budget, MaxBody: opt.MaxBody, BodyTimeout: opt.Timeouts.Body}
	p.routes = p.publicRoutes()
	p.admin = p.adminRoutes()
	return p, nil
}

// Handler serves clients.
func (p *Proxy) Handler() http.Handler { return handler{p} }

// AdminHandler serves the operator: /metrics, /healthz, /readyz and the admin
// API. Without an AdminToken it belongs on a loopback listener.
func (p *Proxy) AdminHandler() http.Handler { return p.admin }

// Close closes idle connections to the upstream and waits, for at most a few seconds, for abandoned
// calls of the Compactor. It must be called after serving has ended.
func (p *Proxy) Close() {
	p.keeper.Close()
	for _, u := range p.upstreams {
		u.closeIdle()
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
