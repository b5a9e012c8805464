package compactor

import (
	"context"

	"killick/compactor/layout"
	"killick/compactor/trigger"
	"killick/transcript/speech"
)

// Between the idle threshold and the trigger, a conversation is compacted only if its provider's
// cache has expired or if it already has a form. Both can be looked up by the hash of the
// conversation. So a large request of that size is sampled, and counted only if the sample does not
// decide.

// fitsWarm reports whether a request is certainly under the trigger, the conversation is still
// cached by its provider, and it has no form. If it returns false, any of these may be true.
func (w *run) fitsWarm(ctx context.Context) bool {
	sampler, ok := w.job.count.(layout.Sampler)
	raw, limit := w.v.Request.Raw(), trigger.Warm(w.job.policy, w.job.budget)
	if _, alone := leftAlone[w.v.Rules.Passthrough]; alone || w.job.refused || !ok {
		return false
	}
	// Counting a small body is cheap. A sample may count a quarter of a body, so if at most a
	// quarter is new, counting is not more expensive.
	if trigger.Fits(len(raw), limit) || w.v.BytesToCount(w.job.count) <= len(raw)/4 ||
		speech.IsCompactionRequest(w.v.Messages) {
		return false
	}
	w.open(ctx)
	if w.cold || w.mayHaveForm(ctx) || !sampler.AtMost(raw, limit-w.maxMedia()) {
		return false
	}
	if w.cache.Lifetime > 0 { // Fits would have found it under the idle threshold
		w.res.ColdTokens = w.job.budget.Target
	}
	return true
}

// maxMedia returns an upper bound of the tokens of images, audio and files.
func (w *run) maxMedia() (tokens int) {
	all := w.v.Request.Messages()
	for i := range all {
		if !all[i].OnlyText() {
			parts, _ := billedParts(all[i].Raw)
			tokens += parts * w.engine.maxPartTokens
		}
	}
	return tokens
}

// mayHaveForm reports whether the conversation may have a form. If its first message was never
// seen, it has none; to know that, nothing else is hashed.
func (w *run) mayHaveForm(ctx context.Context) bool {
	if w.cache.Lifetime > 0 && !w.seen {
		return false
	}
	found := w.longest(ctx, len(w.v.Messages))
	return found.value != nil || found.err != nil // load reports the error
}
