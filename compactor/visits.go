package compactor

import (
	"context"
	"sync"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/plan"
	"killick/compactor/trigger"
	"killick/internal/packed"
)

// A conversation's visits are when it was last sent, with each of its leading parts: model, tools
// and instructions. A provider has forgotten what it cached of a conversation when that is longer
// ago than it keeps anything, and at once where the leading part is another. Clients send side
// requests that open as the conversation does and have other instructions: so several leading parts
// are remembered.

// visit is when a conversation was last sent with a leading part.
type visit struct {
	leading uint64
	at      time.Time
}

// mostLeading bounds how many leading parts of one conversation are remembered, the last ones.
const mostLeading = 4

// visits remembers the visits of conversations by their names, of mostVisited at most. What it
// has forgotten is in the store.
type visits struct {
	mu        sync.Mutex
	last      map[string]visited
	deletions int // under way
	epoch     int // how many deletions began
}

const mostVisited = 1 << 16

// visited is what is known of one conversation.
type visited struct {
	visits []visit // never changed, the last one first
	kept   time.Time
}

func newVisits() *visits { return &visits{last: map[string]visited{}} }

// get returns what is known of a conversation, and the epoch that it is of.
func (s *visits) get(name string) (v visited, ok bool, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok = s.last[name]
	return v, ok, s.epoch
}

// clear forgets all visits. Those that are still stored are read again. Until end is called, and by
// whoever read visits before, only a request's own visit is stored: the others are being deleted.
func (s *visits) clear() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.last)
	s.epoch++
	s.deletions++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.epoch++
		s.deletions--
	}
}

// deleted reports whether visits that were read in an epoch may have been deleted since.
func (s *visits) deleted(epoch int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch != epoch || s.deletions > 0
}

// put remembers visits that were read in an epoch, unless they may have been deleted since.
func (s *visits) put(name string, v visited, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != epoch || s.deletions > 0 {
		return
	}
	if _, known := s.last[name]; !known {
		for old := range s.last { // in random order: as good as any that needs no list
			if len(s.last) < mostVisited {
				break
			}
			delete(s.last, old)
		}
	}
	s.last[name] = v
}

// keepVisits stores the visit of a request beside those that were read in an epoch. Where these were
// deleted meanwhile only its own is stored. They are asked about once more when they are stored: a
// deletion may have gone by in between.
func (e *Engine) keepVisits(
	ctx context.Context, conv checkpoint.Conversation, own visit, list []visit, epoch int,
) error {
	alone := appendVisits(nil, []visit{own})
	if e.visits.deleted(epoch) {
		return conv.KeepVisits(ctx, alone)
	}
	err := conv.KeepVisits(ctx, appendVisits(nil, list))
	if err == nil && e.visits.deleted(epoch) {
		err = conv.KeepVisits(ctx, alone)
	}
	return err
}

// forgotten notes the visit and reports whether the provider has forgotten the conversation.
// Nothing is known of a conversation that was never seen: then it has not.
func (w *run) forgotten(ctx context.Context) bool {
	lifetime := trigger.Lifetime(w.job.policy, w.job.costs, w.job.retention)
	w.cache.Lifetime = lifetime
	if lifetime <= 0 || len(w.v.Messages) == 0 {
		return false
	}
	now, leading, name := w.engine.now().
		Truncate(time.Millisecond),
		w.v.Request.Leading(), w.conv.Name(
			1,
		)
	// What is stored may be so much older than the last visit.
	slack := lifetime / 8
	known, ok, epoch := w.engine.visits.get(name)
	cold := ok && expired(known.visits, leading, now, lifetime)
	if !ok || cold { // another process may have seen it
		stored, err := w.conv.Visits(ctx)
		if err != nil {
			w.failOpen("store_read", err)
		}
		if list := readVisits(stored); len(list) > 0 && !list[0].at.Equal(known.kept) {
			cold = expired(list, leading, now, lifetime+slack)
			known.visits = merged(known.visits, list)
		}
	}
	isNew := findVisit(known.visits, leading) == nil
	w.cache = noted(w.cache, known.visits, leading, now)
	own := visit{leading, now}
	known.visits = merged([]visit{own}, known.visits)
	if isNew || now.Sub(known.kept) >= slack {
		if err := w.engine.keepVisits(ctx, w.conv, own, known.visits, epoch); err != nil {
			w.failOpen("store_write", err)
		}
		known.kept = now
	}
	w.engine.visits.put(name, known, epoch)
	w.res.CacheUsed = w.engine.cacheUsed(w.conv, name, leading)
	if w.engine.replicas != nil {
		w.res.KeepsCache = w.engine.keepsCache(w.job.who, name, leading)
	}
	if w.v.Total() > trigger.Compact(w.job.budget, 0, true) {
		w.res.ColdTokens = w.job.budget.Target
	}
	return cold
}

// cacheUsed returns what notes that a conversation's cache was used as if by a visit.
func (e *Engine) cacheUsed(
	conv checkpoint.Conversation, name string, leading uint64,
) func(context.Context) {
	return func(ctx context.Context) {
		now := e.now().Truncate(time.Millisecond)
		known, _, epoch := e.visits.get(name)
		own := visit{leading, now}
		known.visits = merged([]visit{own}, known.visits)
		if e.keepVisits(ctx, conv, own, known.visits, epoch) == nil {
			known.kept = now
		}
		e.visits.put(name, known, epoch)
	}
}

// noted returns c with how long a conversation has rested.
func noted(c plan.Cache, list []visit, leading uint64, now time.Time) plan.Cache {
	if len(list) == 0 {
		return c
	}
	v := findVisit(list, leading)
	if c.Seen, c.Changed = true, v == nil; c.Changed {
		v = &list[0]
	}
	c.Rest = now.Sub(v.at)
	return c
}

// expired reports whether the last visit with a leading part is longer ago than a lifetime, or was
// with another one only.
func expired(list []visit, leading uint64, now time.Time, lifetime time.Duration) bool {
	if len(list) == 0 {
		return false
	}
	v := findVisit(list, leading)
	return v == nil || now.Sub(v.at) >= lifetime
}

func findVisit(list []visit, leading uint64) *visit {
	for i := range list {
		if list[i].leading == leading {
			return &list[i]
		}
	}
	return nil
}

// merged returns the last visit with each leading part of two lists, the last ones first.
func merged(a, b []visit) []visit {
	var all []visit
	for len(a)+len(b) > 0 && len(all) < mostLeading {
		if len(b) == 0 || len(a) > 0 && !a[0].at.Before(b[0].at) {
			a, b = b, a
		}
		if findVisit(all, b[0].leading) == nil {
			all = append(all, b[0])
		}
		b = b[1:]
	}
	return all
}

func appendVisits(w packed.Writer, list []visit) packed.Writer {
	w.Len(len(list), false)
	for _, v := range list {
		w.Int64(int64(v.leading))
		w.Int64(v.at.UnixMilli())
	}
	return w
}

// readVisits returns what appendVisits wrote, nil where that cannot be read.
func readVisits(stored []byte) []visit {
	r := packed.NewReader(stored)
	list := packed.List(r, func(r *packed.Reader) visit {
		return visit{uint64(r.Int64()), time.UnixMilli(r.Int64())}
	})
	if len(stored) == 0 || r.End() != nil {
		return nil
	}
	return list
}
