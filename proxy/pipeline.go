package proxy

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"killick/compaction"
	"killick/proxy/body"
	"killick/proxy/coding"
	"killick/view"
)

// A Compactor fits chat requests to a budget. It never fails a request: on any
// error it returns the last valid form and names the error in FailOpens. Its
// methods must be safe for concurrent use.
//
// The proxy does not rely on that: after a panic, or for a result that is late, empty or
// larger than the request, it forwards the original body and counts the fault.
type Compactor interface {
	// Fits reports, from the decoded body and without parsing it, whether the trigger of its
	// model cannot be exceeded, or that of any model if it names none. model, who and upstream
	// are as in a Request. Then the body is forwarded unchanged, not parsed. Fits keeps no slice
	// of it: its memory is reused.
	Fits(body []byte, model, who, upstream string) bool

	// Compact decides what to forward. The context ends when the client disconnects or at the
	// deadline; Compact then returns what it has. A call that does not return in time is
	// abandoned: it keeps req, which nothing else uses from then on.
	Compact(ctx context.Context, req Request) compaction.Outcome
}

// Request is one chat request for a Compactor.
type Request struct {
	Chat    *view.Request
	Who     string // keyed hash of the credential; what is learned is not shared beyond it
	Observe bool   // the outcome is only reported; the original is forwarded

	// Model is the model that the path names, "" if the body names it.
	Model string
	// ClientOnly: no call of our own can go to URL.
	ClientOnly bool
	// Upstream is the name of the upstream, "" if there is only one.
	Upstream string
	// URL and Credentials are the address and headers of the upstream request, for our
	// own calls on the client's behalf. They are never stored or logged. Nil for requests
	// that are sent again.
	URL         *url.URL
	Credentials http.Header

	// Overflow is how the upstream rejected the previous form of this request, nil the first
	// time. The Outcome must then be smaller, else it is not used.
	Overflow *compaction.Overflow

	// Withdraw is set if the upstream rejected the provider's summary in the previous form of
	// this request: then neither this Outcome nor a later one may have it.
	Withdraw bool
}

// modeHeader is how a request asks for less than the operator's mode.
const modeHeader = "Killick-Mode"

// modeOf returns the mode for a request that asks for one: never more than the
// operator's, and the operator's if it asks for an unknown one.
func modeOf(operator Mode, asked string) Mode {
	m := Mode(strings.ToLower(strings.TrimSpace(asked)))
	if m.rank() != 0 && m.rank() < operator.rank() {
		return m
	}
	return operator
}

// setMode sets the request's mode: the operator's, or less if the client asks for less.
func (x *exchange) setMode(operator Mode) {
	x.mode, x.action = modeOf(operator, x.in.Header.Get(modeHeader)), string(compaction.ActionNone)
	switch x.mode {
	case ModeObserve:
		x.action = string(compaction.ActionObserve)
	case ModeOff:
		x.action = string(compaction.ActionBypass)
	}
}

// unreadable reports why a body was forwarded without inspection.
func unreadable(err error) compaction.Reason {
	switch {
	case errors.Is(err, coding.ErrUnknown):
		return "unknown content encoding"
	case errors.Is(err, body.ErrOverBudget):
		return "no room to decode"
	}
	return "content encoding not readable"
}

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
	x.shown = true
	x.outcome = x.compact(body, Request{
		Who: x.who, Observe: x.mode == ModeObserve, Model: x.pathModel(),
		ClientOnly: x.wire.clientOnly, Upstream: x.upstreamName(), URL: x.target,
		Credentials: x.credentials(),
	})
}

// fits is Compactor.Fits with panics contained. After a panic, Compact is called, which contains
// them as well.
func (x *exchange) fits(body []byte) (fits bool) {
	defer func() {
		if v := recover(); v != nil {
			x.proxy.contained("fits", v)
			fits = false
		}
	}()
	return x.proxy.opt.Compactor.Fits(body, x.pathModel(), x.who, x.upstreamName())
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
	ctx context.Context, wire *wireFormat, body []byte, req Request,
) (out compaction.Outcome) {
	defer func() {
		if v := recover(); v != nil {
			p.contained("compact", v)
			out = failOpen("panic", nil)
		}
	}()
	parsed, err := p.parser.Parse(wire.view, req.Who, body)
	if err != nil {
		return compaction.Outcome{Reason: unparsable(err)}
	}
	if wire.member != "" && len(parsed.Field(wire.member)) == 0 {
		return compaction.Outcome{Reason: otherFormat}
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
		return withReportsOf(out, failOpen("empty", nil))
	case bytes.Equal(out.Body, body):
		out.Body, out.Masked, out.Folded, out.Reused = body, false, false, false
		return out
	case out.Raw > 0 && out.Sent > out.Raw:
		return withReportsOf(out, failOpen("grew", nil))
	case !out.Changed():
		return withReportsOf(out, failOpen("unnamed", nil))
	}
	return out
}

// close tells an outcome that its request is finished.
func (p *Proxy) close(o *compaction.Outcome, answered bool) {
	defer p.failOpenOnPanic("after")
	if after := o.After; after != nil {
		o.After = nil
		after(answered)
	}
}

// failOpen is the outcome that forwards the original after an error.
func failOpen(reason string, err error) compaction.Outcome {
	return compaction.Outcome{Reason: compaction.ReasonFailedOpen,
		FailOpens: []compaction.FailOpen{{Reason: reason, Err: err}}}
}

// withReportsOf adds to o the reports of the outcome that it replaces.
func withReportsOf(dropped, o compaction.Outcome) compaction.Outcome {
	o.Made, o.Learn = dropped.Made, nil
	o.Raw, o.Sent = dropped.Raw, dropped.Raw
	o.FailOpens = append(dropped.FailOpens, o.FailOpens...)
	return o
}
