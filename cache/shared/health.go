package shared

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// health is whether the shared store is used. After several time-outs in a row, or one connection
// error, it is not used until it answers again.
type health struct {
	up       atomic.Bool
	full     atomic.Bool   // it refuses writes
	cause    atomic.Value  // string: why it was said to be down last
	timeouts atomic.Int32  // in a row
	changed  chan struct{} // wakes keepUp
	returned chan struct{} // wakes whoever waits for the store
	emptied  chan struct{} // wakes whoever restores what replicas agreed on
}

// maxTimeouts is after how many time-outs in a row the store counts as down: a single one may be a
// pause of either side.
const maxTimeouts = 3

func (h *health) init() {
	h.changed, h.returned = make(chan struct{}, 1), make(chan struct{}, 1)
	h.emptied = make(chan struct{}, 1)
}

func (h *health) isUp() bool { return h.up.Load() }

// set updates a flag, and reports whether it changed.
func (h *health) set(up bool) bool {
	h.timeouts.Store(0)
	if h.up.Swap(up) == up {
		return false
	}
	if up {
		wake(h.returned)
	} else {
		wake(h.changed)
	}
	return true
}

// lost records that something has disappeared: the store may have lost everything.
func (h *health) lost() { wake(h.emptied) }

func wake(who chan struct{}) {
	select {
	case who <- struct{}{}:
	default:
	}
}

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
		c.takes(err)
	case refused:
		c.health.timeouts.Store(0)
		c.count.refused.Add(1)
	case late:
		c.count.timeouts.Add(1)
		if c.health.timeouts.Add(1) >= maxTimeouts {
			c.away(err)
		}
	case broken:
		c.count.failures.Add(1)
		c.away(err)
	}
}

// away stops the use of the store until it answers again. What a server that cannot be used answers
// is logged even if the outage began otherwise, once: it says what to do.
func (c *Client) away(cause error) {
	why := describe(cause)
	if c.health.set(false) {
		c.health.cause.Store(why)
		c.count.outages.Add(1)
		c.log.Warn("the shared store does not answer: this replica continues with its own",
			"cause", why)
		return
	}
	var server redis.Error
	if errors.As(cause, &server) && c.health.cause.Swap(why) != why {
		c.log.Warn("the shared store answers, but cannot be used", "cause", why)
	}
}

// takes records whether the store accepted a write, or why not.
func (c *Client) takes(cause error) {
	switch isFull := cause != nil; {
	case c.health.full.Swap(isFull) == isFull:
	case isFull:
		c.log.Warn("the shared store refuses writes: new forms stay on the replica that made them",
			"cause", describe(cause))
	default:
		c.log.Info("the shared store accepts writes again")
	}
}

// outcome is the outcome of a command.
type outcome int

const (
	answered outcome = iota
	full             // the store refuses all writes for now
	refused          // the store rejected the command
	late             // no answer in time
	broken           // no connection
)

// kindOf returns the outcome of a command that returned err.
func kindOf(err error) outcome {
	var server redis.Error
	var network net.Error
	switch {
	case err == nil, errors.Is(err, redis.Nil), errors.Is(err, errSeal):
		return answered
	case errors.As(err, &server):
		switch message := server.Error(); {
		case hasCode(message, unusable):
			return broken
		case hasCode(message, unwritable):
			return full
		}
		return refused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(),
		errors.Is(err, redis.ErrPoolTimeout):
		return late
	}
	return broken
}

// Error codes of a server that cannot be used for now, such as one that became a replica.
var unusable = []string{"LOADING", "MASTERDOWN", "CLUSTERDOWN", "NOAUTH", "WRONGPASS", "NOPERM",
	"BUSY", "READONLY"}

// Error codes of a server that is read-only for now.
var unwritable = []string{"OOM", "MISCONF", "NOREPLICAS", "TRYAGAIN"}

// hasCode reports whether a server's message begins with one of the codes.
func hasCode(message string, codes []string) bool {
	code, _, _ := strings.Cut(message, " ")
	return slices.Contains(codes, code)
}

// describe returns an error for the log. A server's message is cut to its code, and what to do
// about it: the rest may quote what was sent.
func describe(err error) string {
	var server redis.Error
	if errors.As(err, &server) {
		code, _, _ := strings.Cut(server.Error(), " ")
		for _, r := range remedies {
			if strings.HasPrefix(server.Error(), r.message) {
				return "it answered " + code + ": " + r.remedy
			}
		}
		return "it answered " + code
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return err.Error()
}

// remedies are what to do about an answer, by how a server's message begins.
var remedies = []struct{ message, remedy string }{
	{"NOAUTH", "it requires a password; set cache.password"},
	{"WRONGPASS", "it rejects this user and password; correct cache.url or cache.password"},
	{"ERR AUTH ", "it has no password; remove cache.password, and the one in cache.url"},
	{"NOPERM", "its user lacks rights; docs/reliability.md lists those that replicas need"},
	{"ERR DB index", "it has no database with this number; correct the end of cache.url"},
	{"ERR This instance has cluster support disabled",
		"it is not a cluster; remove cluster and addr from cache.url"},
}

// Intervals between attempts to reach a store that is down, and between checks of one that is up.
// After one that was up only briefly, the next attempt waits longer each time.
const (
	steady        = 10 * time.Second
	shortestPause = 50 * time.Millisecond
	longestPause  = 2 * time.Second
	lookEvery     = 15 * time.Second
)

// keepUp reconnects to the store whenever it is down, with greet, which reports whether it can be
// used. It also checks a store that is up now and then: one that lost everything must get again
// what replicas agreed on.
func (c *Client) keepUp(ctx context.Context, greet func(context.Context) error) {
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
		bounded, cancel := context.WithTimeout(ctx, c.patience)
		err := greet(bounded)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.away(err)
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
