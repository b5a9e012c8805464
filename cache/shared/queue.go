package shared

import (
	"context"
	"sync"
	"sync/atomic"

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

// finishTaken records that taken writes were written, put back or dropped.
func (q *queue) finishTaken() {
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
