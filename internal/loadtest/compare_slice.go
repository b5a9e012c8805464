package main

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// slice is the requests that every contestant gets in one round, by worker and in order. before is
// sent first and not measured: the growing conversations, or one fresh one, for which buffers and
// tables are made.
type slice struct{ before, work [parallel][]func() string }

// growingTurns is the number of turns at which one growing conversation is measured.
const growingTurns = 20

func (c *comparison) slice(n, size int, growing bool) (s slice) {
	for w := range parallel {
		if !growing {
			c.sequence++
			number := c.sequence
			s.before[w] = []func() string{func() string { return fresh(c.model, number, size) }}
		}
		for len(s.work[w]) < max(n/parallel, 1) {
			c.sequence++
			number := c.sequence
			if !growing {
				s.work[w] = append(s.work[w], func() string { return fresh(c.model, number, size) })
				continue
			}
			turnBytes := min(freshTurn, max(size/growingTurns, 60))
			turns := max(size/turnBytes-growingTurns/2, 0)
			talk := newConversation(c.model, number, turns+growingTurns, turnBytes)
			s.before[w] = append(s.before[w], func() string { return talk.body(turns) })
			for i := 1; i <= growingTurns; i++ {
				s.work[w] = append(s.work[w], func() string { return talk.body(turns + i) })
			}
		}
	}
	return s
}

// figures are the results of one contestant, the best of the rounds.
type figures struct {
	rate     float64       // requests per second
	cpu      time.Duration // of a request
	p50, p99 time.Duration // of a single request
}

func (f *figures) take(o figures) {
	if f.rate == 0 {
		*f = o
		return
	}
	f.rate = max(f.rate, o.rate)
	f.cpu, f.p50, f.p99 = min(f.cpu, o.cpu), min(f.p50, o.p50), min(f.p99, o.p99)
}

// measure sends one contestant its requests: concurrently for throughput and processor time, then
// one after another for the latency.
func (c *comparison) measure(ctx context.Context, one *contestant, busy, alone slice) (f figures,
	err error) {
	client := newClientOf(one.url, cmp.Or(one.api, chatAPI))
	defer client.close()
	send := func(work [parallel][]func() string) ([]time.Duration, error) {
		return c.send(ctx, one, client, work, 0)
	}
	if _, err = send(busy.before); err != nil {
		return f, err
	}
	before, err := one.cpu()
	if err != nil {
		return f, err
	}
	began := time.Now()
	times, err := send(busy.work)
	if err != nil {
		return f, err
	}
	f.rate = float64(len(times)) / time.Since(began).Seconds()
	after, err := one.cpu()
	if err != nil {
		return f, err
	}
	f.cpu = (after - before) / time.Duration(len(times))

	if _, err = send(alone.before); err != nil {
		return f, err
	}
	times = times[:0]
	for w := range alone.work {
		took, err := c.send(ctx, one, client, [parallel][]func() string{alone.work[w]}, think)
		if err != nil {
			return f, err
		}
		times = append(times, took...)
	}
	f.p50, f.p99 = percentile(times, 50), percentile(times, 99)
	return f, nil
}

// think is the time between a reply and the next request while latencies are measured, so that what
// a proxy does after its reply, such as logging, does not count.
const think = 500 * time.Microsecond

// send sends each worker's requests in order, all workers concurrently, and returns the durations
// of the answered requests.
func (c *comparison) send(ctx context.Context, one *contestant, client *client,
	work [parallel][]func() string, pause time.Duration) (times []time.Duration, err error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var fatal atomic.Pointer[error]
	for w, bodies := range work {
		wg.Go(func() {
			var own []time.Duration
			for _, body := range bodies {
				text := body()
				time.Sleep(pause)
				began := time.Now()
				if err := client.chat(ctx, fmt.Sprintf("sk-worker-%d", w), text); err != nil {
					if err := c.failed(one, err); err != nil {
						fatal.Store(&err)
						return
					}
					continue
				}
				own = append(own, time.Since(began))
			}
			mu.Lock()
			times = append(times, own...)
			mu.Unlock()
		})
	}
	wg.Wait()
	if err := fatal.Load(); err != nil {
		return nil, *err
	}
	return times, nil
}
