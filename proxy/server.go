package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"

	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/keepalive"
	"killick/proxy/stored"
	"killick/view"
)

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
		p.upstreams = append(p.upstreams, u.Connect(opt.Timeouts.Connect))
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

// Closing is the most time that [Proxy.Serve] takes after Timeouts.Notice and Timeouts.Drain.
const Closing = cutting + deciding

// cutting is how long requests that outlast the drain get for an error reply.
const cutting = time.Second

// Serve serves clients on public and, if it is not nil, the operator on admin,
// until ctx ends or a listener fails. It closes both. Then it drains: /readyz
// returns 503, after Timeouts.Notice no connection is accepted any more, and
// requests in flight, including streams and upgraded connections, get
// Timeouts.Drain to finish. It returns nil if all did.
func (p *Proxy) Serve(ctx context.Context, public, admin net.Listener) error {
	hard, cut := context.WithCancelCause(context.Background())
	defer cut(nil)
	servers := []*http.Server{p.newServer(p.Handler(), hard)}
	listeners := []net.Listener{public}
	if admin != nil {
		servers = append(servers, p.newServer(p.AdminHandler(), hard))
		listeners = append(listeners, admin)
	}
	failed := make(chan error, len(servers))
	for i, s := range servers {
		go func() { failed <- s.Serve(&acceptor{Listener: listeners[i], proxy: p}) }()
	}
	var err error
	running := len(servers)
	select {
	case <-ctx.Done():
	case err = <-failed:
		running--
		err = fmt.Errorf("serving: %w", err)
	}
	err = errors.Join(err, p.drain(servers, cut))
	for ; running > 0; running-- {
		if e := <-failed; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, fmt.Errorf("serving: %w", e))
		}
	}
	return err
}

// acceptor reports connections that its listener cannot accept: without a free file descriptor,
// clients would wait, and nothing would say why.
type acceptor struct {
	net.Listener
	proxy  *Proxy
	logged time.Time // when the last failure was logged
}

// acceptPause is the least time between two such lines in the log: net/http tries up to 200 times a
// second.
const acceptPause = time.Minute

// Accept is only called by the goroutine that serves the listener.
func (a *acceptor) Accept() (net.Conn, error) {
	c, err := a.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) {
		return c, err
	}
	a.proxy.metrics.notAccepted.Inc()
	if now := time.Now(); a.logged.IsZero() || now.Sub(a.logged) >= acceptPause {
		a.logged = now
		cause := err.Error()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			cause += "; raise the limit of open files (ulimit -n, LimitNOFILE)"
		}
		a.proxy.opt.Logger.Warn("connections of clients are not accepted", "cause", cause)
	}
	return nil, err
}

// newServer returns a server whose requests end with base. There is no time-out for
// a whole reply, since streams may take any time.
func (p *Proxy) newServer(h http.Handler, base context.Context) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(p.opt.H2C)
	return &http.Server{
		Protocols:         protocols,
		Handler:           h,
		ReadHeaderTimeout: p.opt.Timeouts.Header,
		IdleTimeout:       p.opt.Timeouts.KeepAlive,
		MaxHeaderBytes:    p.opt.MaxHeader,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(p.opt.Logger.Handler(), slog.LevelDebug),
		// OPTIONS * is answered by the upstream.
		DisableGeneralOptionsHandler: true,
	}
}

// drain stops the servers, the public one first, so that the operator can watch it
// drain.
func (p *Proxy) drain(servers []*http.Server, cut context.CancelCauseFunc) error {
	p.draining.Store(true)
	p.keeper.Close() // the following may take as long as a stream
	servers[0].SetKeepAlivesEnabled(false)
	time.Sleep(p.opt.Timeouts.Notice)

	ctx, cancel := context.WithTimeout(context.Background(), p.opt.Timeouts.Drain)
	defer cancel()
	err := servers[0].Shutdown(ctx)
	if err == nil {
		err = waitZero(ctx, &p.upgraded) // the server no longer tracks them
	}
	if err != nil {
		err = fmt.Errorf("draining: requests were still in flight after %v: %w",
			p.opt.Timeouts.Drain, err)
		cut(errStopping)
		// Requests that wait for the upstream can still be answered.
		brief, cancel := context.WithTimeout(context.Background(), cutting)
		defer cancel()
		_ = servers[0].Shutdown(brief)
		_ = servers[0].Close()
	}
	for _, s := range servers[1:] {
		_ = s.Close()
	}
	p.Close()
	return err
}
