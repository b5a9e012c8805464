package shared

import (
	"context"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// async queues commands of who for asynchronous execution, of approximately this many bytes. If
// name is not empty, they replace pending ones of that name.
func (s *Store) async(who, name string, size int, do commands) {
	if n := s.queue.put(write{who, name, size, do}); n > 0 {
		s.client.count.dropped.Add(uint64(n))
	}
}

// touch asynchronously renews the time to live of a name.
func (s *Store) touch(name string) {
	s.async("", "touch "+name, 0, func(ctx context.Context, p redis.Pipeliner) {
		p.PExpire(ctx, name, s.ttl)
	})
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
	defer s.queue.finishTaken()
	if len(some) == 0 {
		return false
	}
	var ends [][2]int // the range of commands of each write
	var done []redis.Cmder
	ctx = context.WithValue(ctx, asyncTrips{}, true)
	_ = s.client.do(ctx, s.client.longTimeout, func(ctx context.Context) (err error) {
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
		s.client.noteWrite(nil)
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

// remove removes what is under names.
func (s *Store) remove(ctx context.Context, names []string) (n int, err error) {
	for some := range slices.Chunk(names, maxAtOnce) {
		cmds, err := s.client.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, name := range some {
				p.Unlink(ctx, name)
			}
			return nil
		})
		for _, cmd := range cmds {
			if c, ok := cmd.(*redis.IntCmd); ok {
				n += int(c.Val())
			}
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
