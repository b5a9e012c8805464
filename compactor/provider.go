package compactor

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
)

// withoutProvider returns the form cp, or, if cp has a provider's summary that may not be sent with
// this request, the form without it. The conversation keeps that form, since the model's thinking
// from now on is bound to it.
func (w *run) withoutProvider(
	ctx context.Context, cp *checkpoint.Checkpoint,
) *checkpoint.Checkpoint {
	reason := w.noProvider(cp)
	if reason == "" {
		return cp
	}
	w.failOpen(reason, nil)
	plain := cp.WithoutProvider(len(w.v.Messages))
	if plain.Covers == cp.Covers {
		return plain // what is stored for this prefix stays
	}
	w.keepOriginals(ctx, nil, plain)
	return w.put(ctx, plain, cp)
}

// noProvider returns the reason why the provider's summary in the form cp is not sent, "" if it is
// sent or there is none.
func (w *run) noProvider(cp *checkpoint.Checkpoint) string {
	switch {
	case cp == nil || cp.Provider == nil:
		return ""
	case w.job.withdraw:
		return "provider_summary_refused"
	case cp.Provider.Origin != w.engine.origin:
		return "provider_summary_elsewhere"
	case !maySendProvider(w.v):
		return "provider_summary_not_offered"
	case checkpoint.Size(w.v, cp, w.v.Preamble) > w.job.budget.Window:
		return "provider_summary_window"
	}
	return ""
}

// maySendProvider reports whether the API accepts its own summary as the first message.
func maySendProvider(v *layout.View) bool {
	return v.Rules.Summarizes && v.Lead == 0 && !v.Strict
}
