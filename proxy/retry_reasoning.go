package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"killick/proxy/body"
	"killick/proxy/overflow"
	"killick/view"
)

// What becomes of a request whose reasoning the upstream refuses.
const (
	reasoningLeftOut = "left_out" // it was sent again without
	reasoningRefused = "refused"  // the client was told: it is not ours to mend, or was tried
)

// withoutReasoning returns the request as it was sent last without signed and encrypted
// reasoning, nil if it is not sent again. That is done once.
func (p *Proxy) withoutReasoning(
	x *exchange, r *http.Request, o *overflow.Refusal,
) *http.Request {
	next := x.bodyWithoutReasoning()
	outcome := reasoningLeftOut
	if next == nil {
		outcome = reasoningRefused
	}
	p.metrics.reasoning.with(outcome).Inc()
	p.opt.Logger.LogAttrs(context.WithoutCancel(x.in.Context()), slog.LevelWarn,
		"reasoning refused", slog.String("outcome", outcome), slog.String("wording", o.Provider),
		slog.Bool("changed", x.changed))
	if next == nil {
		return nil
	}
	x.body.Release()
	x.body, x.changed, x.mended = body.Hold(next), true, true
	r = r.Clone(r.Context())
	x.setBody(r)
	return r
}

// bodyWithoutReasoning is the body of that request, nil where it is not to be sent.
func (x *exchange) bodyWithoutReasoning() []byte {
	if x.mended || x.wire.ours && !x.changed {
		return nil
	}
	sent := x.plain
	if x.changed {
		sent = x.body.Bytes()
	}
	req, err := view.Parse(x.wire.view, sent)
	if err != nil {
		return nil
	}
	next := req.WithoutBound()
	if len(next) == len(sent) {
		return nil // there was none
	}
	return slices.Clone(next)
}
