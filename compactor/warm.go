package compactor

import (
	"context"

	"killick/compactor/layout"
	"killick/compactor/trigger"
	"killick/transcript"
)

// Between the idle mark and the trigger a conversation is compacted only if its provider has
// forgotten it, or if it already has a form. Both are known by its hash. So a large request of that
// size is sampled, and counted only where the sample leaves it open.

// fitsWarm reports whether a request certainly stays under the trigger of a conversation that its
// provider still has cached and that has no form. false says nothing.
func (w *run) fitsWarm(ctx context.Context) bool {
	sampler, ok := w.job.count.(layout.Sampler)
	raw, limit := w.v.Request.Raw(), trigger.Warm(w.job.policy, w.job.budget)
	// A sample may count a quarter of a body: as much may be counted at once.
	if !ok || w.v.BytesToCount(w.job.count) <= len(raw)/4 || trigger.Exceeds(len(raw), limit) ||
		transcript.IsCompactionRequest(w.v.Messages) {
		return false
	}
	w.open(ctx)
	if w.cold {
		return false
	}
	form, _, _, err := w.conv.Longest(ctx, len(w.v.Messages))
	if form != nil || err != nil {
		return false // load reports the error
	}
	if !sampler.AtMost(raw, limit-billedParts(raw)*w.engine.partMost) {
		return false
	}
	if w.cache.Lifetime > 0 { // it would have been found to be under the idle mark (Fits)
		w.res.ColdTokens = w.job.budget.Target
	}
	return true
}

// open finds the conversation in the stores, once, and notes that it was seen.
func (w *run) open(ctx context.Context) {
	if w.conv != nil {
		return
	}
	who, memory := w.job.who, w.v.Request.Memory()
	w.conv = w.engine.store.Conversation(who, w.v.Messages, memory)
	w.cold = w.forgotten(ctx)
	if w.engine.writing != nil {
		w.ready = w.engine.writing.Store.Conversation(who, w.v.Messages, memory)
	}
}
