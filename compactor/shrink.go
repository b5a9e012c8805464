package compactor

import (
	"context"

	"killick/compaction"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/view"
)

// Shrink fits a request again after the upstream refused its form as too long. It learns the
// model's window from the error and compacts to fit it. The new forms are stored like any other, so
// the next turn fits at once. If nothing smaller can be made, Body is the original.
func (e *Engine) Shrink(
	ctx context.Context,
	req *view.Request,
	who string,
	o compaction.Overflow,
) compaction.Outcome {
	model := req.Model()
	c := e.counter(who, model)
	raw, ratio := layout.New(req, c).Total(), c.Ratio(req.Raw())
	if o.Sent == 0 {
		o.Sent = raw
	}
	learned, ok := e.learned(req, who).After(o, ratio)
	if !ok {
		return compaction.Outcome{
			Body:   req.Raw(),
			Raw:    raw,
			Sent:   raw,
			Reason: compaction.ReasonOverflow,
		}
	}
	if req.Limits().Window == 0 {
		e.windows.Learn(who, model, learned)
	}
	j := e.jobAfter(req, who, learned)
	j.refused = true
	res := e.fit(ctx, req, j)
	if !mayBeAccepted(o, res, j.budget) {
		j.budget, j.lastOnly = j.budget.Halved(min(o.Sent, res.Sent)), true
		again := e.fit(ctx, req, j)
		again.Made = append(res.Made, again.Made...)
		again.FailOpens = append(res.FailOpens, again.FailOpens...)
		again.Reused = again.Reused && res.Reused
		res = again
	}
	res.Reason = compaction.ReasonOverflow
	return res
}

// mayBeAccepted reports whether a form can be expected to be accepted after the refusal o. After a
// second refusal, the numbers that the first one stated were not enough.
func mayBeAccepted(o compaction.Overflow, res compaction.Outcome, b settings.Budget) bool {
	switch {
	case res.Sent > b.Window:
		return false
	case o.Try > 1:
		return res.Sent <= o.Sent*3/4
	case o.Window == 0 && o.Input == 0 && o.Over == 0:
		return res.Sent <= o.Sent*2/3
	}
	return res.Sent < o.Sent
}

// Withdraw fits a request again after the upstream refused the provider's summary that was sent
// with it. From then on the conversation has a form without it.
func (e *Engine) Withdraw(ctx context.Context, req *view.Request, who string) compaction.Outcome {
	j := e.jobFor(req, who)
	j.withdraw = true
	return e.fit(ctx, req, j)
}
