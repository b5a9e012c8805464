package proxy

import (
	"context"
	"net/http"
	"net/http/httputil"
	"time"

	"killick/proxy/body"
	"killick/proxy/class"
	"killick/proxy/cors"
	"killick/proxy/fault"
	"killick/proxy/target"
)

// This file has the steps of a request in order. Each step is a function that is named here and
// explained where it is defined.

// handler serves clients.
type handler struct{ *Proxy }

// ServeHTTP answers one request from a client. Its call stack during a reply is kept shallow, and
// without gin: an idle stream holds that stack, and if what net/http needs on top to send a header
// fits into 8 KiB the stack stays that small, else it is 16 KiB (loadtest compare shows it).
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.begin(w, r)
	if x == nil {
		return
	}
	defer h.finish(x)
	if x.admit() && x.routeByPath() && x.prepare() {
		// The reverse proxy sends the request upstream and the reply to the client (forward.go).
		// Where the upstream refuses a chat request as too long, it is sent again in a smaller form
		// (retry.go). It panics with http.ErrAbortHandler when the reply is cut off.
		x.forwarded = true
		x.reverse().ServeHTTP(x.reply, x.outgoing())
		x.linger()
	}
}

// begin returns the exchange of a request for the upstream. It is nil for one that was answered: by
// one of our own routes (routes.go), or as a CORS preflight.
func (p *Proxy) begin(w http.ResponseWriter, r *http.Request) *exchange {
	if p.opt.CORS.Enabled() && cors.Preflight(r) {
		p.preflight(w, r)
		return nil
	}
	out := p.newReply(w, r)
	to := p.route(out, r)
	if to == class.Own {
		return nil
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	path := target.RawPath(r)
	x := &exchange{
		proxy:    p,
		class:    to,
		wire:     class.Formats[to],
		kind:     kindOf(r, path),
		asked:    path,
		start:    time.Now(),
		reply:    out,
		reserved: body.Reservation{Budget: p.budget},
	}
	x.in = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	x.reply.CloseIfUnread(x.in)
	x.reply.Expect(x.in)
	x.stall.Cancel = cancel
	p.metrics.inFlight.Inc()
	return x
}

// preflight answers a CORS preflight.
func (p *Proxy) preflight(w http.ResponseWriter, r *http.Request) {
	if !p.opt.CORS.Allow(w.Header(), r) {
		fault.WriteError(w, http.StatusForbidden, "Killick does not allow pages of this origin; "+
			"cors.origins in its configuration lists the allowed ones.",
			"invalid_request_error", "origin_not_allowed")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// prepare decides what to forward. It reports whether to continue: if not, the client was answered.
func (x *exchange) prepare() (forward bool) {
	if x.class == class.Compress {
		x.compress()
		return false
	}
	if x.wire.Compacts() {
		return x.prepareHeld()
	}
	if x.mayHoldItems() {
		return x.prepareItems()
	}
	// The body is streamed without inspection, unless the choice of upstream depends on it.
	return x.notConnect() && x.notPreface() && x.notWebSocket() && x.prepareRouted()
}

// prepareHeld reads the whole body of a request, decodes a copy if it is compressed, and asks the
// Compactor what to forward. A step that fails leaves the request as it was before the step.
func (x *exchange) prepareHeld() (forward bool) {
	x.reply.Report = x.report
	if x.setMode(x.proxy.opt.Mode); x.mode == ModeOff {
		return x.prepareRouted() // streamed, like any other request
	}
	raw, readable, ok := x.readPlain()
	if !ok {
		return false
	}
	if readable && x.mode != ModeOff {
		if !x.unseal() || x.answersTrigger() {
			return false
		}
		x.offer()
		x.decide(x.sent.plain)
	}
	if x.clientGone() {
		x.fail(fault.ClientGone())
		return false
	}
	x.hold(raw)
	if readable {
		x.beginTurn()
	}
	x.added = time.Since(x.ready)
	return true
}

// reverse returns the reverse proxy to use: streaming formats use small buffers.
func (x *exchange) reverse() *httputil.ReverseProxy {
	if x.wire.Streams {
		return x.proxy.reverseChat
	}
	return x.proxy.reverseOther
}

// finish is deferred by ServeHTTP. It contains a panic, passes the usage to the Compactor, writes
// the metrics and the log, and aborts the connection if the client must not take what it got for a
// complete reply.
func (p *Proxy) finish(x *exchange) {
	defer x.stall.Cancel(nil)
	abort := p.recovered(x, recover())
	x.stall.Stop()
	if x.answer.status == http.StatusSwitchingProtocols {
		p.upgraded.Add(-1)
	}
	x.sent.body.Release()
	x.sent.plain = nil
	x.reserved.Release()
	x.learn()
	answered := !abort && x.fault == nil && x.answer.status/100 == 2
	x.endTurn(answered)
	p.close(&x.outcome, answered)
	x.reply.Finish()
	p.metrics.inFlight.Dec()
	x.dropErrorsOfDisconnect()
	p.metrics.observe(x)
	p.log(x)
	if abort {
		panic(http.ErrAbortHandler)
	}
}
