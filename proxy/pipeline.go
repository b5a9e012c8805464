package proxy

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"killick/compaction"
	"killick/proxy/body"
	"killick/proxy/class"
)

// decide asks the Compactor what to forward for a body.
func (x *exchange) decide(body []byte) {
	p := x.proxy
	if p.opt.Compactor == nil || len(body) == 0 {
		x.outcome.Reason = compaction.ReasonFits
		return
	}
	if !x.identify() {
		x.outcome = failOpen("identity", nil) // nothing may be learned from it or shared with it
		return
	}
	if x.fits(body) {
		x.outcome.Reason = compaction.ReasonFits
		return
	}
	x.sent.shown = true
	x.outcome = x.compact(body, Request{
		Who: x.sender.who, Observe: x.mode == ModeObserve, Model: x.pathModel(),
		ClientOnly: x.wire.ClientOnly, Upstream: x.upstreamName(), URL: x.dest.target,
		Credentials: x.credentials(),
	})
}

// fits calls Compactor.Fits and recovers from panics. After a panic, Compact is called, which
// recovers from panics as well.
func (x *exchange) fits(body []byte) (fits bool) {
	defer func() {
		if v := recover(); v != nil {
			x.proxy.reportPanic("fits", v)
			fits = false
		}
	}()
	return x.proxy.opt.Compactor.Fits(body, x.pathModel(), x.sender.who, x.upstreamName())
}

// compactGrace is how long a Compactor may take after its deadline to return what it has.
const compactGrace = 250 * time.Millisecond

// compact parses body into req and runs the Compactor in a separate goroutine, which is abandoned
// if it does not return in time. Until it returns, the body counts against the memory for bodies.
func (x *exchange) compact(body []byte, req Request) compaction.Outcome {
	p, wire := x.proxy, x.wire
	ctx, cancel := context.WithTimeout(x.in.Context(), p.opt.Timeouts.Compact)
	returned := x.reserved.Share()
	done := make(chan compaction.Outcome, 1)
	var settled atomic.Bool // by the outcome or the end of the wait, whichever comes first
	p.deciding.Add(1)
	go func() {
		defer p.deciding.Add(-1)
		defer cancel()
		out := p.try(ctx, wire, body, req)
		returned()
		if settled.CompareAndSwap(false, true) {
			done <- out
		} else {
			p.close(&out, false)
		}
	}()
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	grace := time.NewTimer(compactGrace)
	defer grace.Stop()
	select {
	case out := <-done:
		return out
	case <-grace.C:
	}
	if !settled.CompareAndSwap(false, true) {
		return <-done
	}
	return failOpen("deadline", ctx.Err())
}

// try parses body, runs the Compactor on it and checks the result.
func (p *Proxy) try(
	ctx context.Context, wire *class.Format, body []byte, req Request,
) (out compaction.Outcome) {
	defer func() {
		if v := recover(); v != nil {
			p.reportPanic("compact", v)
			out = failOpen("panic", nil)
		}
	}()
	parsed, err := p.parser.Parse(wire.View, req.Who, body)
	if err != nil {
		return compaction.Outcome{Reason: class.Unparsable(err)}
	}
	if wire.Member != "" && len(parsed.Field(wire.Member)) == 0 {
		return compaction.Outcome{Reason: class.OtherFormat}
	}
	parsed.SetModel(req.Model)
	req.Chat = parsed
	made := p.opt.Compactor.Compact(ctx, req)
	if out = checked(body, made); out.After == nil {
		p.close(&made, false)
	}
	return out
}

// checked returns an outcome, or a fail-open for an invalid one: no body, a body with more tokens
// than the request, or an unnamed change. If the bytes are those of the request, nothing was
// changed, whatever the outcome says.
func checked(body []byte, out compaction.Outcome) compaction.Outcome {
	switch {
	case len(out.Body) == 0:
		return withUnused(failOpen("empty", nil), out)
	case bytes.Equal(out.Body, body):
		out.Body, out.Masked, out.Folded, out.Reused = body, false, false, false
		return out
	case out.Raw > 0 && out.Sent > out.Raw:
		return withUnused(failOpen("grew", nil), out)
	case !out.Changed():
		return withUnused(failOpen("unnamed", nil), out)
	}
	return out
}

// close calls After of an outcome, at most once, and recovers from its panics. answered reports
// whether the upstream accepted the request.
func (p *Proxy) close(o *compaction.Outcome, answered bool) {
	defer p.failOpenOnPanic("after")
	if after := o.After; after != nil {
		o.After = nil
		after(answered)
	}
}

// failOpen returns the outcome that forwards the original after an error.
func failOpen(reason string, err error) compaction.Outcome {
	return compaction.Outcome{Reason: compaction.ReasonFailedOpen,
		FailOpens: []compaction.FailOpen{{Reason: reason, Err: err}}}
}

// hold sets the body to forward: the Compactor's if it may be used, otherwise the received one,
// with records instead of our compaction items and with the added tool.
func (x *exchange) hold(raw []byte) {
	if x.mode == ModeOn && x.outcome.Changed() {
		x.sent.body, x.sent.changed = body.Hold(x.outcome.Body), true
		x.action = actionLabel(&x.outcome)
	} else if x.rewritten() {
		x.sent.body = body.Hold(x.sent.plain)
	} else if x.sent.shown {
		x.sent.body = body.Hold(raw)
	} else {
		x.sent.body = body.HoldOwned(raw)
	}
	x.outcome.Body = nil // an hour-long stream must not keep it in memory
}
