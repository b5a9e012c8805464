package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"killick/compaction"
	"killick/proxy/body"
	"killick/proxy/overflow"
	"killick/proxy/tap"
	"killick/view"
)

// This file sends a request to its upstream, and again, changed, where the upstream rejects it for
// its length or its reasoning.

// maxRetries is how often a request is sent again in a smaller form. A third attempt would
// not succeed after two failed: the forms are based on what the upstream reports about its
// window.
const maxRetries = 2

// minPeeked is the length below which the beginning of a successful reply is not read ahead: no
// model's window is so small.
const minPeeked = 4 << 10

// roundTrip sends a request of an exchange upstream, and sends it again in a
// smaller form if the upstream rejects it as too long. Calls of killick_expand in the reply are
// answered (expand.go).
func (p *Proxy) roundTrip(r *http.Request) (*http.Response, error) {
	x := exchangeOf(r.Context())
	for {
		res, err := p.send(x, r)
		if err != nil {
			return nil, err
		}
		if !x.retryable() {
			return x.expanded(r, res)
		}
		o := p.refusal(x, res)
		x.retried(res.StatusCode, o)
		if o == nil {
			return x.expanded(r, res)
		}
		next := p.again(x, r, o)
		if next == nil {
			return res, nil
		}
		_ = res.Body.Close()
		r = next
	}
}

// retryable reports whether the request may be sent again: it may be changed, it is
// buffered, and nothing of a reply has reached the client.
func (x *exchange) retryable() bool {
	return x.wire.Compacts() && x.mode == ModeOn && len(x.sent.plain) > 0 &&
		x.proxy.opt.Compactor != nil && x.reply.Status() == 0
}

// refusal returns the overflow that a reply reports, nil for other replies. The
// bytes that were read for it are still forwarded.
func (p *Proxy) refusal(x *exchange, res *http.Response) *overflow.Refusal {
	if res.StatusCode == http.StatusOK && len(x.sent.plain) < minPeeked {
		return nil
	}
	x.stall.Arm(p.opt.Timeouts.Idle)
	defer x.stall.Disarm()
	peek := tap.NewPeek(res, x.wire.Format)
	if peek == nil {
		return nil
	}
	res.Body = peek
	return peek.Wait(x.in.Context())
}

// retried logs and counts the outcome of a smaller form.
func (x *exchange) retried(status int, o *overflow.Refusal) {
	switch {
	case x.sent.tries == 0 || o != nil:
	case status/100 == 2:
		x.reportOverflow(overflowRecovered, nil)
	default:
		x.reportOverflow(overflowFailed, nil)
	}
}

// again returns the request to send after a rejection, nil if it is not sent again.
func (p *Proxy) again(x *exchange, r *http.Request, o *overflow.Refusal) *http.Request {
	switch {
	case o.Summary, o.Reasoning && x.sent.changed && x.outcome.Provider:
		return p.withoutSummary(x, r, o)
	case o.Reasoning:
		return p.withoutReasoning(x, r, o)
	}
	return p.smaller(x, r, o)
}

// smaller returns the request in a smaller form, nil if there is none to send.
func (p *Proxy) smaller(x *exchange, r *http.Request, o *overflow.Refusal) *http.Request {
	if x.sent.tries == maxRetries {
		x.reportOverflow(overflowGaveUp, o)
		return nil
	}
	refused := o.Overflow
	refused.Try = x.sent.tries + 1
	_, refused.Sent = x.tokens()
	if x.clientGone() {
		return nil
	}
	if !x.identify() {
		x.outcome.FailOpens = append(x.outcome.FailOpens, compaction.FailOpen{Reason: "identity"})
		return nil
	}
	x.sent.body.Keep() // the Compactor may keep slices of it
	next := x.compact(x.sent.plain, Request{Who: x.sender.who,
		Model: x.pathModel(), Upstream: x.upstreamName(), Overflow: &refused})
	if !x.isSmaller(next) {
		p.close(&next, false)
		x.outcome = withUnused(x.outcome, next)
		x.reportOverflow(overflowNoGain, o)
		return nil
	}
	x.reportOverflow(overflowRetried, o)
	x.replaceOutcome(next)
	x.sent.tries++
	x.sent.retriedReasoning = false
	x.action += "+" + string(compaction.ActionRetry)
	return x.resend(r, next.Body, true)
}

// replaceOutcome replaces the outcome of a rejected request, and keeps its reports.
func (x *exchange) replaceOutcome(next compaction.Outcome) {
	next.Made = append(x.outcome.Made, next.Made...)
	next.FailOpens = append(x.outcome.FailOpens, next.FailOpens...)
	next.Body = nil
	x.proxy.close(&x.outcome, false)
	x.outcome, x.action = next, actionLabel(&next)
}

// resend returns r with another body. changed says whether it differs from what was received.
func (x *exchange) resend(r *http.Request, b []byte, changed bool) *http.Request {
	x.sent.body.Release()
	x.sent.body, x.sent.changed = body.Hold(b), changed
	r = r.Clone(r.Context())
	x.setBody(r)
	return r
}

// isSmaller reports whether an outcome is worth sending instead of what the upstream rejected.
func (x *exchange) isSmaller(next compaction.Outcome) bool {
	if !next.Changed() {
		return false
	}
	_, sent := x.tokens()
	if sent == 0 { // the original was sent uncounted
		sent = next.Raw
	}
	return next.Sent < sent
}

// withUnused adds to o the reports of an outcome that is not used.
func withUnused(o, unused compaction.Outcome) compaction.Outcome {
	o.Made = append(o.Made, unused.Made...)
	o.FailOpens = append(o.FailOpens, unused.FailOpens...)
	if o.Raw == 0 {
		o.Raw, o.Sent = unused.Raw, unused.Raw
	}
	return o
}

// reportOverflow counts and logs the outcome of a rejection; o is nil if the reply
// was none.
func (x *exchange) reportOverflow(outcome string, o *overflow.Refusal) {
	p := x.proxy
	p.metrics.overflows.With(outcome).Inc()
	level := slog.LevelInfo
	if outcome == overflowGaveUp || outcome == overflowNoGain {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("outcome", outcome), slog.Int("retries", x.sent.tries),
		clientAttr(x.sender.who)}
	if _, sent := x.tokens(); sent > 0 {
		attrs = append(attrs, slog.Int("sent_tokens", sent))
	}
	if o != nil {
		attrs = append(attrs, slog.String("wording", o.Provider),
			slog.Int("window", max(o.Window, o.Input)), slog.Int("prompt", o.Prompt))
	}
	p.opt.Logger.LogAttrs(context.WithoutCancel(x.in.Context()), level, "context overflow",
		attrs...)
}

// The outcomes for a request whose reasoning the upstream rejects.
const (
	reasoningLeftOut = "left_out" // it was sent again without
	reasoningRefused = "refused"  // the client got the error: not ours to handle, or already tried
)

// withoutReasoning returns the last request without signed and encrypted reasoning, nil if it is
// not sent again. That is done once for each form.
func (p *Proxy) withoutReasoning(
	x *exchange, r *http.Request, o *overflow.Refusal,
) *http.Request {
	next := x.bodyWithoutReasoning()
	outcome := reasoningLeftOut
	if next == nil {
		outcome = reasoningRefused
	}
	p.metrics.reasoning.With(outcome).Inc()
	p.opt.Logger.LogAttrs(context.WithoutCancel(x.in.Context()), slog.LevelWarn,
		"reasoning refused", slog.String("outcome", outcome), slog.String("wording", o.Provider),
		slog.Bool("changed", x.sent.changed))
	if next == nil {
		return nil
	}
	x.sent.body.Keep() // x.sent.plain, of which a smaller form may be made, can be the same memory
	x.sent.retriedReasoning = true
	return x.resend(r, next, true)
}

// bodyWithoutReasoning is the body of that request, nil if it must not be sent.
func (x *exchange) bodyWithoutReasoning() []byte {
	// The thinking in a request for the client's own summary, which is forwarded whole, may have
	// been signed after our records.
	ours := x.sent.changed || x.sent.expansion != nil || x.outcome.Reason == compaction.ReasonOwn
	if x.sent.retriedReasoning || x.wire.Ours && !ours {
		return nil
	}
	sent := x.sent.plain
	if x.sent.changed {
		sent = x.sent.body.Bytes()
	}
	req, err := view.Parse(x.wire.View, sent)
	if err != nil {
		return nil
	}
	next := req.WithoutSigned()
	if len(next) == len(sent) {
		return nil // there was none
	}
	return slices.Clone(next)
}

// withoutSummary returns the request in the form by rules, after the upstream rejected a provider's
// summary in it, or the reasoning after that; nil if we had added none. The Compactor no longer
// sends that summary.
func (p *Proxy) withoutSummary(
	x *exchange, r *http.Request, o *overflow.Refusal,
) *http.Request {
	if !x.sent.changed || !x.outcome.Provider || x.clientGone() || !x.identify() {
		return nil
	}
	p.opt.Logger.LogAttrs(context.WithoutCancel(x.in.Context()), slog.LevelWarn,
		"provider's summary refused", slog.String("wording", o.Provider))
	x.sent.body.Keep() // the Compactor may keep slices of it
	next := x.compact(x.sent.plain, Request{Who: x.sender.who,
		Model: x.pathModel(), Upstream: x.upstreamName(), Withdraw: true})
	sent := next.Body
	if next.Provider || !next.Changed() {
		next.Provider, next.Masked, next.Folded, next.Reused = false, false, false, false
		next.Sent, sent = next.Raw, x.sent.plain
	}
	x.replaceOutcome(next)
	return x.resend(r, sent, next.Changed())
}
