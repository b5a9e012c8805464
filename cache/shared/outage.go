package shared

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// note updates whether the store is up from the outcome and duration of a command. An answer that
// took too long for a request with several round trips does not reset the count of late ones.
func (c *Client) note(err error, took time.Duration) {
	switch kindOf(err) {
	case answered:
		if took <= c.timeout/maxTrips {
			c.health.timeouts.Store(0)
		}
	case full:
		c.health.timeouts.Store(0)
		c.count.refused.Add(1)
		c.noteWrite(err)
	case refused:
		c.health.timeouts.Store(0)
		c.count.refused.Add(1)
	case late:
		c.count.timeouts.Add(1)
		if c.health.timeouts.Add(1) >= maxTimeouts {
			c.markDown(err)
		}
	case broken:
		c.count.failures.Add(1)
		c.markDown(err)
	}
}

// markDown stops using the store until it answers again. If the server answers but cannot be used,
// its answer is logged once, even if the outage began in another way: it says what to do.
func (c *Client) markDown(cause error) {
	why := describe(cause)
	var server redis.Error
	answers := errors.As(cause, &server)
	began := c.health.set(false)
	if began {
		c.count.outages.Add(1)
	}
	switch {
	case answers:
		if c.health.cause.Swap(why) != why || began {
			c.log.Warn("the shared store answers, but cannot be used: this replica continues "+
				"with its own", "cause", why)
		}
	case began:
		c.health.cause.Store(why)
		c.log.Warn("the shared store does not answer: this replica continues with its own",
			"cause", why)
	}
}

// noteWrite records whether the store accepted a write: cause is nil, or why it did not.
func (c *Client) noteWrite(cause error) {
	switch isFull := cause != nil; {
	case c.health.full.Swap(isFull) == isFull:
	case isFull:
		c.log.Warn("the shared store refuses writes: new forms stay on the replica that made them",
			"cause", describe(cause))
	default:
		c.log.Info("the shared store accepts writes again")
	}
}

// Intervals between attempts to reach a store that is down, and between checks of one that is up.
// After one that was up only briefly, the next attempt waits longer each time.
const (
	steady        = 10 * time.Second
	shortestPause = 50 * time.Millisecond
	longestPause  = 2 * time.Second
	lookEvery     = 15 * time.Second
)

// reconnect reconnects to the store whenever it is down. checkUsable returns an error unless it can
// be used. It also checks a store that is up now and then: one that lost everything must get again
// what replicas agreed on.
func (c *Client) reconnect(ctx context.Context, checkUsable func(context.Context) error) {
	pause, since := time.Duration(0), time.Time{}
	for {
		wait := pause
		if c.health.isUp() {
			wait = lookEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-c.health.changed:
			if time.Since(since) > steady {
				pause = shortestPause
			}
			continue
		case <-c.health.emptied:
		case <-time.After(wait):
		}
		bounded, cancel := context.WithTimeout(ctx, c.longTimeout)
		err := checkUsable(bounded)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.markDown(err)
			if cluster, ok := c.redis.(*redis.ClusterClient); ok {
				cluster.ReloadState(ctx) // in the background: other nodes may have taken over
			}
			pause = min(max(2*pause, shortestPause), longestPause)
		case c.health.set(true):
			c.log.Info("the shared store answers")
			since, pause = time.Now(), min(max(2*pause, shortestPause), longestPause)
		}
	}
}
