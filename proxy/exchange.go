package proxy

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/cors"
	"killick/proxy/reply"
)

// exchange is one request with its reply: what is known of it, for the log and
// the metrics, and what the steps of forwarding hand on to one another.
type exchange struct {
	proxy *Proxy
	class class
	in    *http.Request // as it came
	reply *reply.Writer
	start time.Time

	inbound   *auth.Key // that let the client in; nil where none is asked for
	presented string    // its text

	target *url.URL
	path   string // at the upstream, as sent

	mode    Mode
	who     string // "" until somebody asks
	action  string // for the metric; see actionLabel
	outcome compaction.Outcome
	body    *body.Held  // what is sent upstream; nil where the client's body is streamed
	upload  *clientBody // the body where it is streamed
	changed bool        // body is not what came
	plain   []byte      // the body as it came, decoded: what a smaller form is made of. nil: never
	tries   int         // how often a smaller form was sent
	inBytes int64       // of the body, as it came
	room    body.Room
	ready   time.Time     // the body was read
	added   time.Duration // from then until it was forwarded

	stall     stallTimer
	upstream  int    // the upstream's status, 0 without a reply
	requestID string // the upstream's or the client's
	usage     chat.Usage
	hasUsage  bool
	fault     *fault // what went wrong, nil if nothing
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// handler serves clients.
type handler struct{ *Proxy }

// ServeHTTP answers one request from a client. It and what it calls that is
// there until the reply ends are kept shallow: a stream that waits holds their
// stack, and if what net/http needs on top of it to send a header fits into
// 8 KiB the stack is that large, else it is 16 (loadtest compare shows it).
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.begin(w, r)
	if x == nil {
		return
	}
	defer h.finish(x)
	if reverse, out := x.prepare(); out != nil {
		reverse.ServeHTTP(x.reply, out)
		x.linger()
	}
}

// begin returns the exchange of a request, nil if it was answered here.
func (p *Proxy) begin(w http.ResponseWriter, r *http.Request) *exchange {
	if p.opt.CORS.Enabled() && cors.Preflight(r) {
		p.preflight(w, r)
		return nil
	}
	path := rawPath(r)
	class, upstream := p.paths.classify(r.Method, path)
	if class == classOwn {
		p.own.ServeHTTP(w, r)
		return nil
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	x := &exchange{
		proxy: p,
		class: class,
		path:  upstream,
		start: time.Now(),
		room:  body.Room{Budget: p.budget},
	}
	x.in = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	x.reply = p.newReply(w, r)
	x.reply.Expect(x.in)
	x.stall.init(cancel)
	p.metrics.inFlight.Inc()
	return x
}

// prepare returns what is to be forwarded, and by which way; nothing where the
// client was answered.
func (x *exchange) prepare() (*httputil.ReverseProxy, *http.Request) {
	p := x.proxy
	if !x.admit() {
		return nil, nil
	}
	x.target = p.paths.target(x.path, x.query(), x.in.URL.ForceQuery)
	switch {
	case x.in.Method == http.MethodConnect:
		// A tunnel would be to wherever the client likes.
		x.fail(&fault{status: http.StatusMethodNotAllowed, kind: "connect_method",
			message: "Killick is not a forward proxy: CONNECT is not supported. Use it as the base URL of your client instead."})
	case x.class != classChat:
		return p.reverse, x.outgoing()
	case x.readChat():
		return p.reverseChat, x.outgoing()
	}
	return nil, nil
}

// finish is deferred by ServeHTTP. It contains a panic, tells the log and the
// metrics, and aborts the connection where the client must not take what it got
// for a whole reply.
func (p *Proxy) finish(x *exchange) {
	defer x.stall.cancel(nil)
	abort := p.recovered(x, recover())
	x.stall.stop()
	if x.upstream == http.StatusSwitchingProtocols {
		p.upgraded.Add(-1)
	}
	x.body.Release()
	x.room.Release()
	x.learn()
	p.close(&x.outcome, !abort && x.fault == nil && x.upstream/100 == 2)
	x.reply.Finish()
	p.metrics.inFlight.Dec()
	p.metrics.observe(x)
	p.tell(x)
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// tell writes the access log, contained: the reply has not ended yet.
func (p *Proxy) tell(x *exchange) {
	defer func() {
		if recover() != nil {
			p.metrics.panics.Inc() // there is no log to tell
		}
	}()
	p.logAccess(x)
}

// learn hands the usage to whoever asked for it.
func (x *exchange) learn() {
	if !x.hasUsage || x.outcome.Learn == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			x.proxy.contained("learn", v)
			x.proxy.metrics.failOpens.with("panic").Inc()
		}
	}()
	x.outcome.Learn(x.usage)
}

// clientGone tells whether the client has left.
func (x *exchange) clientGone() bool {
	ctx := x.in.Context()
	return ctx.Err() != nil && context.Cause(ctx) == context.Canceled
}
