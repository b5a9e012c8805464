package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// load is streams and small chats at the same time, at a given rate.
type load struct {
	streams int           // open at any time
	events  int           // of each stream
	pause   time.Duration // between them
	rate    int           // small chats per second
	lasts   time.Duration
}

func runLoad(ctx context.Context, args []string) error {
	set, binary := flags("load")
	var l load
	set.IntVar(&l.streams, "streams", 500, "streams at once")
	set.IntVar(&l.events, "events", 40, "events of each stream")
	set.DurationVar(&l.pause, "pause", 250*time.Millisecond, "between two events")
	set.IntVar(&l.rate, "rate", 1000, "small chats a second")
	set.DurationVar(&l.lasts, "for", time.Minute, "how long")
	dir, remove, err := parse(set, args)
	if err != nil {
		return err
	}
	defer remove()
	up, err := self("", "upstream", "upstream")
	if err != nil {
		return err
	}
	defer up.stop()
	ours, err := killick("", *binary, up.url, dir)
	if err != nil {
		return err
	}
	defer ours.stop()
	fmt.Println(machine())
	w, err := newWatcher(ours)
	if err != nil {
		return err
	}
	done := l.run(ctx, ours.url, w)
	return errors.Join(w.report(ctx), done.report(l))
}

// tally is the result of a load.
type tally struct {
	chats, streams, errors atomic.Int64
	late                   atomic.Int64 // chats that were not started in their second
	first                  atomic.Pointer[error]
	mu                     sync.Mutex
	times                  []time.Duration // of the chats
}

func (t *tally) failed(err error) {
	t.errors.Add(1)
	t.first.CompareAndSwap(nil, &err)
}

// run applies the load. A stream that has begun is read to its end.
func (l load) run(ctx context.Context, url string, w *watcher) *tally {
	ctx, cancel := context.WithTimeout(ctx, l.lasts)
	defer cancel()
	t := &tally{}
	c := newClient(url)
	defer c.close()
	var wg sync.WaitGroup
	for i := range l.streams {
		wg.Go(func() { l.streaming(ctx, c, t, i) })
	}
	wg.Go(func() { l.chatting(ctx, c, t) })
	w.watch(ctx)
	wg.Wait()
	return t
}

// streaming reads one stream after another.
func (l load) streaming(ctx context.Context, c *client, t *tally, i int) {
	// The starts are spread: all at once would be a burst.
	spread := time.Duration(l.events) * l.pause / time.Duration(l.streams) * time.Duration(i)
	select {
	case <-time.After(min(spread, l.lasts/4)):
	case <-ctx.Done():
		return
	}
	for n := 0; ctx.Err() == nil; n++ {
		body := fresh("gpt-5.1", i*1000+n, 3<<10)
		if _, err := c.stream(context.WithoutCancel(ctx), fmt.Sprintf("sk-%d", i%50), body,
			l.events, l.pause); err != nil {
			t.failed(err)
		}
		t.streams.Add(1)
	}
}

// chatting starts chats at the given rate, whether or not earlier ones are answered.
func (l load) chatting(ctx context.Context, c *client, t *tally) {
	var wg sync.WaitGroup
	defer wg.Wait()
	began := time.Now()
	for n := 0; ; n++ {
		due := began.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		} else if ctx.Err() != nil {
			return
		} else if wait < -time.Second {
			t.late.Add(1)
		}
		wg.Go(func() {
			body := fresh("gpt-5.1", 1_000_000+n, 1<<10)
			at := time.Now()
			if err := c.chat(context.WithoutCancel(ctx), fmt.Sprintf("sk-%d", n%50), body); err !=
				nil {
				t.failed(err)
			}
			took := time.Since(at)
			t.chats.Add(1)
			t.mu.Lock()
			t.times = append(t.times, took)
			t.mu.Unlock()
		})
	}
}

// report prints the result of the load. Any error is a failure, and so is a rate that was not
// reached.
func (t *tally) report(l load) error {
	tab := table{title: fmt.Sprintf("%d streams at once and %d chats a second for %v", l.streams,
		l.rate, l.lasts),
		head: []string{"streams", "chats", "p50", "p99", "errors"}}
	tab.row(fmt.Sprint(t.streams.Load()), fmt.Sprint(t.chats.Load()),
		percentile(t.times, 50).Round(10*time.Microsecond).String(),
		percentile(t.times, 99).Round(10*time.Microsecond).String(), fmt.Sprint(t.errors.Load()))
	tab.print()
	if n := t.errors.Load(); n > 0 {
		return fmt.Errorf("%d errors, the first: %w", n, *t.first.Load())
	}
	if n := t.late.Load(); n > 0 {
		return fmt.Errorf("%d chats were begun more than a second late: this machine does not "+
			"hold the pace", n)
	}
	return nil
}
