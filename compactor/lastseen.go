package compactor

import (
	"context"
	"fmt"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/trigger"
)

// A provider's prompt cache of a conversation has expired if the conversation was last seen longer
// ago than the lifetime of the cache, or if its model or preamble has changed. Clients send side
// requests that start like the conversation but have other instructions, so the time is remembered
// for several preambles.
//
// Times are stored by the first message, which is all that is hashed of a conversation that was
// never seen. Many conversations may begin with the same message. They are told apart by their
// first replies: what is known of one says nothing about another, whose short turns, which are not
// noted, may have been a moment ago.

// storeLastSeen stores the time of a request with those that were read in an epoch. If these were
// deleted meanwhile, it stores only the request's own time. It checks again after storing: a
// deletion may have happened in between.
func (e *Engine) storeLastSeen(
	ctx context.Context, stored checkpoint.LastSeen, own lastSeen, times []lastSeen, epoch int,
) error {
	alone := encodeLastSeen([]lastSeen{own})
	if e.lastSeen.deleted(epoch) {
		return stored.Put(ctx, alone)
	}
	err := stored.Put(ctx, encodeLastSeen(times))
	if err == nil && e.lastSeen.deleted(epoch) {
		err = stored.Put(ctx, alone)
	}
	return err
}

// updateLastSeen records that the conversation was seen now and reports whether the provider's
// cache of it has expired. It reports false for a conversation that was never seen before.
func (w *run) updateLastSeen(ctx context.Context) bool {
	lifetime := trigger.Lifetime(w.job.policy, w.job.costs, w.job.retention)
	w.cache.Lifetime = lifetime
	if lifetime <= 0 || len(w.v.Messages) == 0 {
		return false
	}
	now, name := w.engine.now().Truncate(time.Millisecond), w.conv.Name(1)
	begins := beginning{w.v.Request.PreambleHash(), w.v.Request.FirstReplies(firstReplies)}
	// The stored time may be earlier than the true one by this much.
	slack := lifetime / 8
	known, epoch := w.engine.lastSeen.get(name)
	known.times = until(now, known.times)
	cold := expired(known.times, begins, now, lifetime)
	if cold || !begins.seen(known.times) { // another process may have seen it
		stored, err := w.conv.LastSeen().Get(ctx)
		if err != nil {
			w.failOpen("store_read", err)
		}
		if list := readLastSeen(stored); len(list) > 0 && !list[0].at.Equal(known.stored) {
			list = until(now, list)
			cold = expired(list, begins, now, lifetime+slack)
			known.times = merged(known.times, list)
		}
	}
	w.seen = len(known.times) > 0
	isNew := begins.find(known.times) == nil
	w.cache = begins.withIdleTime(w.cache, known.times, now)
	own := lastSeen{begins, now}
	known.times = merged([]lastSeen{own}, known.times)
	if since := now.Sub(known.stored); isNew || since >= slack || since < 0 {
		err := w.engine.storeLastSeen(ctx, w.conv.LastSeen(), own, known.times, epoch)
		if err != nil {
			w.failOpen("store_write", err)
		}
		known.stored = now
	}
	w.engine.lastSeen.put(name, known, epoch)
	w.res.CacheUsed = w.engine.cacheUsed(w.conv.LastSeen(), name, begins)
	if w.engine.replicas != nil {
		w.res.KeepsCache = w.engine.keepsCache(w.job.who, name, begins)
	}
	return cold
}

// cacheUsed returns a function that records a use of the conversation's cache, such as a renewal,
// as if the conversation had been seen.
func (e *Engine) cacheUsed(
	stored checkpoint.LastSeen, name string, begins beginning,
) func(context.Context) {
	return func(ctx context.Context) {
		now := e.now().Truncate(time.Millisecond)
		known, epoch := e.lastSeen.get(name)
		own := lastSeen{begins, now}
		known.times = merged([]lastSeen{own}, known.times)
		if e.storeLastSeen(ctx, stored, own, known.times, epoch) == nil {
			known.stored = now
		}
		e.lastSeen.put(name, known, epoch)
	}
}

// keepsCache returns a function that reports whether this process should keep the prompt cache of a
// conversation alive. It should not if another process has seen the conversation later or has the
// claim. A time that was not stored, because it came soon after a stored one, is unknown here: then
// the claim ensures that only one process keeps the cache alive.
func (e *Engine) keepsCache(
	who, name string, begins beginning,
) func(ctx context.Context, lasts time.Duration) bool {
	return func(ctx context.Context, lasts time.Duration) bool {
		stored, err := e.replicas.LastSeen(ctx, who, name)
		known, _ := e.lastSeen.get(name)
		there := begins.find(readLastSeen(stored))
		here := begins.find(known.times)
		if err == nil && there != nil && here != nil && there.at.After(here.at) {
			return false
		}
		claim := fmt.Sprintf("cache %s %d %d", name, begins.preamble, begins.replies)
		return e.replicas.Claim(ctx, claim, lasts)
	}
}
