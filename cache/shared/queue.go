package shared

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// queue holds asynchronous writes. While the store is down it holds a bounded number of bytes and
// drops the oldest writes.
type queue struct {
	bytes atomic.Int64

	mu     sync.Mutex
	writes []write
	latest map[string]int // writes that a later one of the same name replaces; from first on
	first  int            // how many were taken since the queue was created
	flying int64          // bytes of those that were taken and not written yet
	wake   chan struct{}
}

// write is one or a few commands.
type write struct {
	who  string // the owner
	name string // if not empty, a later write of this name replaces it
	size int
	do   commands
}

const (
	maxQueued = 32 << 20
	// maxAtOnce bounds one pipeline.
	maxAtOnce      = 256
	maxBytesAtOnce = 1 << 20
	writeOverhead  = 512 // approximate cost of a write besides its value
)

func newQueue() *queue {
	return &queue{latest: map[string]int{}, wake: make(chan struct{}, 1)}
}

// put adds a write and returns how many were dropped for it.
func (q *queue) put(w write) (dropped int) {
	w.size += writeOverhead
	q.mu.Lock()
	defer q.mu.Unlock()
	if at, ok := q.latest[w.name]; ok && w.name != "" {
		old := &q.writes[at-q.first]
		q.bytes.Add(int64(w.size - old.size))
		*old = w
	} else {
		if w.name != "" {
			q.latest[w.name] = q.first + len(q.writes)
		}
		q.writes = append(q.writes, w)
		q.bytes.Add(int64(w.size))
	}
	for q.bytes.Load() > maxQueued && len(q.writes) > 0 {
		q.shift()
		dropped++
	}
	wake(q.wake)
	return dropped
}

// shift takes the oldest write. The caller holds mu.
func (q *queue) shift() write {
	w := q.writes[0]
	q.writes[0] = write{}
	q.writes = q.writes[1:]
	if w.name != "" {
		delete(q.latest, w.name)
	}
	q.first++
	q.bytes.Add(int64(-w.size))
	return w
}

// take returns the writes for the next pipeline.
func (q *queue) take() (some []write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for size := 0; len(q.writes) > 0 && len(some) < maxAtOnce &&
		(size == 0 || size+q.writes[0].size <= maxBytesAtOnce); {
		size += q.writes[0].size
		q.flying += int64(q.writes[0].size)
		some = append(some, q.shift())
	}
	return some
}

// landed records that taken writes were written, put back or dropped.
func (q *queue) landed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flying = 0
}

// waiting returns the bytes of all pending writes.
func (q *queue) waiting() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes.Load() + q.flying
}

// putBack returns failed writes to the front of the queue, if there is room for them.
func (q *queue) putBack(some []write) (dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var again []write
	for i := len(some) - 1; i >= 0; i-- {
		w := some[i]
		_, later := q.latest[w.name]
		switch {
		case w.name != "" && later:
		case q.bytes.Load()+int64(w.size) > maxQueued:
			dropped++
		default:
			again = append(again, w)
			q.bytes.Add(int64(w.size))
		}
	}
	if len(again) == 0 {
		return dropped
	}
	all := make([]write, 0, len(again)+len(q.writes))
	for i := len(again) - 1; i >= 0; i-- {
		all = append(all, again[i])
	}
	q.writes = append(all, q.writes...)
	q.first -= len(again)
	for i, w := range again {
		if w.name != "" {
			q.latest[w.name] = q.first + len(again) - 1 - i
		}
	}
	return dropped
}

// drop removes the writes that match.
func (q *queue) drop(is func(*write) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.writes
	q.first += len(all)
	q.writes, q.latest = nil, map[string]int{}
	for _, w := range all {
		if is(&w) {
			q.bytes.Add(int64(-w.size))
			continue
		}
		if w.name != "" {
			q.latest[w.name] = q.first + len(q.writes)
		}
		q.writes = append(q.writes, w)
	}
}

// commands puts commands into a pipeline.
type commands func(context.Context, redis.Pipeliner)

// async queues commands of who for asynchronous execution, of approximately this many bytes. If
// name is not empty, they replace pending ones of that name.
func (s *Store) async(who, name string, size int, do commands) {
	if n := s.queue.put(write{who, name, size, do}); n > 0 {
		s.client.count.dropped.Add(uint64(n))
	}
}

// writeBehind writes the queue until it is stopped, whenever the store is up. It backs off if the
// store refuses writes.
func (s *Store) writeBehind(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.wake:
		case <-s.client.health.returned:
		}
		for pause := shortestPause; s.client.health.isUp() && s.queue.bytes.Load() > 0; {
			if s.flush(ctx) {
				pause = shortestPause
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, longestPause)
		}
	}
}

// Flush writes the queue, as long as the shared store is up. Writes in progress when it is called
// are complete when it returns.
func (s *Store) Flush(ctx context.Context) {
	for s.client.health.isUp() && ctx.Err() == nil && s.flush(ctx) {
	}
}

// flush writes one pipeline, and reports whether that succeeded and there may be more.
func (s *Store) flush(ctx context.Context) (more bool) {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	return s.flushLocked(ctx)
}

// flushLocked is flush for callers that hold the lock flushing.
func (s *Store) flushLocked(ctx context.Context) (more bool) {
	some := s.queue.take()
	defer s.queue.landed()
	if len(some) == 0 {
		return false
	}
	var ends [][2]int // the range of commands of each write
	var done []redis.Cmder
	ctx = context.WithValue(ctx, asyncTrips{}, true)
	_ = s.client.do(ctx, s.client.patience, func(ctx context.Context) (err error) {
		p := s.client.redis.Pipeline()
		for _, w := range some {
			from := p.Len()
			w.do(ctx, p)
			ends = append(ends, [2]int{from, p.Len()})
		}
		done, err = p.Exec(ctx)
		return err
	})
	again, taken := some, false
	if done != nil {
		again = nil
		var dropped uint64
		for i, w := range some {
			switch kindOf(failureOf(done[ends[i][0]:ends[i][1]])) {
			case answered:
				taken = taken || w.size > writeOverhead
			case refused:
				dropped++
			case full, late, broken:
				again = append(again, w)
			}
		}
		s.client.count.dropped.Add(dropped)
	}
	if len(again) > 0 {
		s.client.count.dropped.Add(uint64(s.queue.putBack(again)))
	} else if taken {
		s.client.takes(nil)
	}
	return len(again) == 0
}

// failureOf returns the error of the first command that failed.
func failureOf(commands []redis.Cmder) error {
	for _, cmd := range commands {
		if err := cmd.Err(); kindOf(err) != answered {
			return err
		}
	}
	return nil
}

// LastWrites is how long [Store.Close] waits for pending writes.
const LastWrites = 2 * time.Second
