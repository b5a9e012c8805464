package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// The measurement of live conversations, each of which is sent again and again.
const (
	liveBytes    = 100 << 10 // of each, when it is first sent
	livePasses   = 4         // turns of each that are measured, after one that is not
	fewLive      = 50
	manyLive     = 600
	maxLiveRatio = 1.5 // of the processor time with many, as a multiple of that with few
)

// live compares the processor time of a request while few and while many conversations are live,
// under the trigger and over it.
func (c *comparison) live(ctx context.Context) error {
	most := max(fewLive, int(manyLive*min(c.share, 1)))
	t := table{title: fmt.Sprintf("CPU a request by live conversations of %d KB (at most %g)",
		liveBytes>>10, maxLiveRatio),
		head: []string{"", fmt.Sprint(fewLive), fmt.Sprint(most), "ratio"}}
	for _, kind := range []struct {
		name        string
		over, alike bool
	}{
		{"under the trigger", false, false}, {"over the trigger", true, false},
		{"the same, with one first message", true, true},
	} {
		name, over, size := kind.name, kind.over, 100*liveBytes
		if over {
			size = liveBytes
		}
		ours, err := c.compacting(size)
		if err != nil {
			return err
		}
		few, err := c.liveTurns(ctx, ours, fewLive, kind.alike)
		many := few
		if err == nil {
			many, err = c.liveTurns(ctx, ours, most, kind.alike)
		}
		if err == nil {
			err = ours.compacted(over)
		}
		ours.stop()
		if err != nil {
			return fmt.Errorf("live conversations, %s: %w", name, err)
		}
		t.row(name, few.Round(time.Microsecond).String(), many.Round(time.Microsecond).String(),
			ratio(many, few))
	}
	t.print()
	return nil
}

// liveTurns sends n conversations, each a turn longer in each pass, and returns the processor time
// of a request. If they begin alike, they have the same first message.
func (c *comparison) liveTurns(
	ctx context.Context, ours *contestant, n int, alike bool,
) (time.Duration, error) {
	const turns = liveBytes / freshTurn
	var before, work [parallel][]func() string
	talks := make([]*conversation, n)
	for i := range talks {
		c.sequence++
		talks[i] = newConversation(c.model, c.sequence, turns+livePasses+1, freshTurn)
		if alike {
			talks[i].head = talks[0].head
		}
	}
	for pass := range livePasses + 2 {
		for i, talk := range talks {
			body := func() string { return talk.body(turns + pass) }
			if pass < 2 {
				before[i%parallel] = append(before[i%parallel], body)
			} else {
				work[i%parallel] = append(work[i%parallel], body)
			}
		}
	}
	client := newClient(ours.url)
	defer client.close()
	if _, err := c.send(ctx, ours, client, before, 0); err != nil {
		return 0, err
	}
	began, err := ours.cpu()
	if err != nil {
		return 0, err
	}
	times, err := c.send(ctx, ours, client, work, 0)
	if err != nil {
		return 0, err
	}
	ended, err := ours.cpu()
	return (ended - began) / time.Duration(max(len(times), 1)), err
}

// The measurement of first replies.
const (
	firstStarts   = 3
	firstReplies  = 21 // of each start: the first, and later ones
	firstBytes    = 50 << 10
	maxFirstRatio = 2 // of the first, as a multiple of the later ones' median
)

// firstReply compares the time that the first compacted reply after a start takes to later ones.
// The proxy is asked as soon as it reports that it is ready.
func (c *comparison) firstReply(ctx context.Context) error {
	var first, later []time.Duration
	for range firstStarts {
		ours, err := c.compacting(firstBytes)
		if err != nil {
			return err
		}
		times, err := c.replies(ctx, ours)
		if err == nil {
			err = ours.compacted(true)
		}
		ours.stop()
		if err != nil {
			return fmt.Errorf("the first reply: %w", err)
		}
		first, later = append(first, times[0]), append(later, times[1:]...)
	}
	t := table{title: fmt.Sprintf("A compacted reply to %d KB seen first (at most %d)",
		firstBytes>>10, maxFirstRatio),
		head: []string{"first after the start", "later", "ratio"}}
	a, b := percentile(first, 50), percentile(later, 50)
	t.row(a.Round(10*time.Microsecond).String(), b.Round(10*time.Microsecond).String(), ratio(a, b))
	t.print()
	return nil
}

// replies returns how long the first requests took, one after another.
func (c *comparison) replies(ctx context.Context, ours *contestant) ([]time.Duration, error) {
	if err := ours.ready(ctx); err != nil {
		return nil, err
	}
	client := newClient(ours.url)
	defer client.close()
	var times []time.Duration
	for range firstReplies {
		c.sequence++
		body := fresh(c.model, c.sequence, firstBytes)
		began := time.Now()
		if err := client.chat(ctx, "sk-first", body); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// ready waits until the proxy is ready.
func (c *contestant) ready(ctx context.Context) error {
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(5 * time.Millisecond) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/readyz", nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s/readyz: status %d after %v, want 200", c.url, res.StatusCode,
				startTimeout)
		}
	}
}
