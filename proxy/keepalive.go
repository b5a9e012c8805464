package proxy

import (
	"net/http"

	"killick/proxy/keepalive"
	"killick/view"
)

// beginTurn ends the idle period of the conversation that continues with this request.
func (x *exchange) beginTurn() {
	p := x.proxy
	if p.keeper == nil || x.mode != ModeOn || x.wire.ClientOnly || !x.identify() {
		return
	}
	defer p.failOpenOnPanic("keep-alive")
	parse := p.parser.Parse
	if !x.sent.shown { // the parser would remember parts of a body whose memory is reused
		parse = func(f view.Format, _ string, b []byte) (*view.Request, error) {
			return view.Parse(f, b)
		}
	}
	if req, err := parse(x.wire.View, x.sender.who, x.sent.plain); err == nil {
		x.turn = p.keeper.Begin(keepalive.Conversation{
			Who: x.sender.who, Upstream: x.dest.up.Name, Format: x.wire.Format, Request: req,
		})
	}
}

// holdForKeepAlive keeps what was sent until the reply has ended.
func (x *exchange) holdForKeepAlive(r *http.Request) {
	if x.turn == nil {
		return
	}
	sent := x.sent.plain
	if x.sent.changed {
		sent = x.sent.body.Bytes()
	}
	if x.turn.Keep(sent, r) {
		x.sent.body.Keep()
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
		Do: x.dest.up.Transport.RoundTrip, Used: x.outcome.CacheUsed,
		Responsible: x.outcome.KeepsCache,
	})
}
