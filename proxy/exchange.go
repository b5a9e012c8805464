package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/proxy/keepalive"
	"killick/proxy/reply"
	"killick/view"
)

// exchange is one request with its reply: what is known about it, for the log and
// the metrics, and the state that the steps of forwarding share.
type exchange struct {
	proxy *Proxy
	class class
	wire  *wireFormat   // of the class
	kind  format.Kind   // of the path
	in    *http.Request // as received
	reply *reply.Writer
	start time.Time

	inbound   *auth.Key // that the client presented; nil if none is required
	presented string    // its text

	asked  string    // the path, as sent
	up     *upstream // nil until it is chosen, together with the next two
	target *url.URL
	path   string // at the upstream, as sent

	model    string // that the body names, for the log; "" if it is not a plain name
	mode     Mode
	who      string // "" until it is needed; see identify
	action   string // for the metric; see actionLabel
	outcome  compaction.Outcome
	body     *body.Held  // what is sent upstream; nil if the client's body is streamed
	upload   *clientBody // the body if it is streamed
	changed  bool        // body differs from what was received
	unsealed bool        // plain, and so body, has records instead of compaction items
	// expansion is not nil if plain, and so body, has the tool killick_expand.
	expansion *expansion
	shown     bool   // the Compactor got the body, and may keep slices of it
	plain     []byte // the body as received, decoded, for a smaller form; nil: not retried
	tries     int    // number of smaller forms sent
	mended    bool   // body was sent before, with its reasoning
	allowed   bool   // its headers allow a summary by the provider
	inBytes   int64  // of the body, as received
	reserved  body.Reservation
	ready     time.Time     // the body was read
	added     time.Duration // from then until it was forwarded

	turn *keepalive.Turn // nil: its prompt cache is not kept alive

	forwarded bool // else it was answered here
	stall     stallTimer
	upstream  int    // the upstream's status, 0 without a reply
	requestID string // the upstream's or the client's
	usage     chat.Usage
	hasUsage  bool
	fault     *fault.Fault // what went wrong, nil if nothing
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// log writes the access log, contained: the reply has not ended yet.
func (p *Proxy) log(x *exchange) {
	defer func() {
		if recover() != nil {
			p.metrics.panics.Inc() // the log itself failed
		}
	}()
	p.logAccess(x)
}

// firstUsage returns the usage that the upstream reported for the request as first sent. If calls
// of our tool were answered, it was sent again with more messages.
func (x *exchange) firstUsage() (usage chat.Usage, ok bool) {
	if x.expansion != nil {
		return x.expansion.first, x.expansion.hasFirst
	}
	return x.usage, x.hasUsage
}

// learn passes the usage to the Compactor.
func (x *exchange) learn() {
	usage, has := x.firstUsage()
	if !has || x.outcome.Learn == nil {
		return
	}
	defer x.proxy.failOpenOnPanic("learn")
	x.outcome.Learn(usage)
}

// rewritten reports whether the body differs from the received bytes.
func (x *exchange) rewritten() bool { return x.changed || x.unsealed || x.expansion != nil }

// clientGone reports whether the client has disconnected.
func (x *exchange) clientGone() bool {
	ctx := x.in.Context()
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled)
}

// beginTurn ends the idle period of the conversation that continues with this request. No request
// of ours is made where the path says how it is answered.
func (x *exchange) beginTurn() {
	p := x.proxy
	if p.keeper == nil || x.mode != ModeOn || x.wire.inPath || !x.identify() {
		return
	}
	defer p.failOpenOnPanic("keep-alive")
	parse := p.parser.Parse
	if !x.shown { // the parser would remember parts of a body whose memory is reused
		parse = func(f view.Format, _ string, b []byte) (*view.Request, error) {
			return view.Parse(f, b)
		}
	}
	if req, err := parse(x.wire.view, x.who, x.plain); err == nil {
		x.turn = p.keeper.Begin(keepalive.Conversation{
			Who: x.who, Upstream: x.up.Name, Format: x.wire.format, Request: req,
		})
	}
}

// keepSent keeps what was sent until the reply has ended.
func (x *exchange) keepSent(r *http.Request) {
	if x.turn == nil {
		return
	}
	sent := x.plain
	if x.changed {
		sent = x.body.Bytes()
	}
	if x.turn.Keep(sent, r) {
		x.body.Keep()
	}
}

// endTurn begins the idle period of the conversation.
func (x *exchange) endTurn(answered bool) {
	if x.turn == nil {
		return
	}
	defer x.proxy.failOpenOnPanic("keep-alive")
	usage, has := x.firstUsage()
	x.turn.End(keepalive.Reply{
		Whole: answered && has, Usage: usage, Cold: x.outcome.ColdTokens,
		Do: x.up.transport.RoundTrip, Used: x.outcome.CacheUsed, Mine: x.outcome.KeepsCache,
	})
}
