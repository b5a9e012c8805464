package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// firstEvent measures the time to the first byte of a stream.
func (c *comparison) firstEvent(ctx context.Context) error {
	t := table{title: "Time to the first SSE byte, the median",
		head: []string{"", "1 KB", "to nginx", "50 KB, growing", "to nginx"}}
	all := append([]*contestant{c.direct}, c.field...)
	best := make([][2]time.Duration, len(all))
	n := max(int(400*c.share), 20)
	for range c.rounds {
		s := [2]slice{c.slice(n, 1<<10, false), c.slice(n, 50<<10, true)}
		for i, one := range all {
			for kind := range s {
				took, err := c.firstBytes(ctx, one, s[kind])
				if err != nil {
					return fmt.Errorf("%s: %w", one.name, err)
				}
				if p := percentile(took, 50); best[i][kind] == 0 || p < best[i][kind] {
					best[i][kind] = p
				}
			}
		}
	}
	var reference [2]time.Duration
	for i, one := range all {
		if one.name == "nginx" {
			reference = best[i]
		}
	}
	for i, one := range all {
		t.row(one.name, best[i][0].Round(time.Microsecond).String(),
			ratio(best[i][0], reference[0]),
			best[i][1].Round(time.Microsecond).String(), ratio(best[i][1], reference[1]))
	}
	t.print()
	return nil
}

func (c *comparison) firstBytes(ctx context.Context, one *contestant,
	s slice) (times []time.Duration, err error) {
	client := newClient(one.url)
	defer client.close()
	if _, err := c.send(ctx, one, client, s.before, 0); err != nil {
		return nil, err
	}
	for w := range s.work {
		for _, body := range s.work[w] {
			text := body()
			time.Sleep(think)
			took, err := client.stream(ctx, fmt.Sprintf("sk-worker-%d", w), text, 3, 0)
			if err != nil {
				if err := c.failed(one, err); err != nil {
					return nil, err
				}
				continue
			}
			times = append(times, took)
		}
	}
	return times, nil
}

// leaving measures how long the upstream continues after a client has left.
func (c *comparison) leaving(ctx context.Context) error {
	t := table{title: "From the client's leaving to the upstream's cancellation",
		head: []string{"", "p50", "longest"}}
	const times = 50
	left := map[string]time.Time{}
	for i := range times {
		for _, one := range c.field {
			id := fmt.Sprintf("%s-%d", one.name, i)
			at, err := leave(ctx, one.url, id, fresh(c.model, 0, 1<<10))
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			left[id] = at
		}
	}
	noticed := map[string]time.Time{}
	deadline := time.Now().Add(startTimeout)
	for ; len(noticed) < len(left); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("the upstream noticed %d clients that left, want %d",
				len(noticed), len(left))
		}
		res, err := http.Get(c.direct.url + "/left")
		if err != nil {
			return err
		}
		err = json.NewDecoder(res.Body).Decode(&noticed)
		res.Body.Close()
		if err != nil {
			return err
		}
	}
	for _, one := range c.field {
		var took []time.Duration
		for i := range times {
			id := fmt.Sprintf("%s-%d", one.name, i)
			took = append(took, noticed[id].Sub(left[id]))
		}
		t.row(one.name, percentile(took, 50).Round(time.Microsecond).String(),
			percentile(took, 100).Round(time.Microsecond).String())
	}
	t.print()
	return nil
}

// idle measures the memory of waiting streams.
func (c *comparison) idle(ctx context.Context, streams int) error {
	t := table{title: fmt.Sprintf("Memory at %d idle streams", streams),
		head: []string{"", "before", "with them", "to nginx", "a stream"}}
	before, with := make([]int64, len(c.field)), make([]int64, len(c.field))
	var reference int64
	for i, one := range c.field {
		var err error
		if before[i], with[i], err = c.idleOf(ctx, one, streams); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		if one.name == "nginx" {
			reference = with[i]
		}
	}
	for i, one := range c.field {
		t.row(one.name, mib(before[i]), mib(with[i]), ratio(with[i], reference),
			fmt.Sprintf("%d KiB", (with[i]-before[i])/int64(streams)>>10))
	}
	t.print()
	return nil
}

func (c *comparison) idleOf(ctx context.Context, one *contestant, streams int) (before, with int64,
	err error) {
	if before, err = one.memory(); err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	begun := make(chan error, streams)
	client := newClient(one.url)
	defer client.close()
	c.sequence++
	for i := range streams {
		body := fresh(c.model, c.sequence, 4<<10)
		wg.Go(func() { begun <- client.hold(ctx, fmt.Sprintf("sk-idle-%d", i), body) })
	}
	for range streams {
		if err := <-begun; err != nil {
			return 0, 0, err
		}
	}
	time.Sleep(2 * time.Second) // memory that was used to start them is returned to the system
	with, err = one.memory()
	return before, with, err
}
