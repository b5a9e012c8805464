package shared

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Stats counts the use of the shared store. All except Up and Waiting only grow.
type Stats struct {
	Up bool // the store is used

	RoundTrips, Commands uint64        // one round trip may carry several commands
	Async                uint64        // round trips that no request waits for
	Waited               time.Duration // total waiting time of requests

	Adopted   uint64 // forms that another replica made
	Published uint64 // forms that only this replica had, as after an outage
	Conflicts uint64 // forms not written because another replica was first
	Unsealed  uint64 // values that no replica wrote, each read as absent

	Timeouts uint64 // answers that came too late
	Away     uint64 // calls not made because the store was down
	Outages  uint64 // how often the store went down
	Failures uint64 // errors of connections
	Refused  uint64 // commands that the store refused, such as writes while it is full

	Waiting  int64  // bytes of pending asynchronous writes
	Dropped  uint64 // writes dropped for lack of room, or because the store refused them
	Received uint64 // events of other replicas
}

type counters struct {
	trips, async, commands, waitedFor       atomic.Uint64
	adopted, published, conflicts, unsealed atomic.Uint64
	timeouts, away, outages, failures       atomic.Uint64
	refused, dropped, received              atomic.Uint64
}

func (c *counters) waited(d time.Duration) { c.waitedFor.Add(uint64(max(d, 0))) }

// addTrip counts a round trip and its commands.
func (c *counters) addTrip(ctx context.Context, commands int) {
	if ctx.Value(asyncTrips{}) == nil {
		c.trips.Add(1)
	} else {
		c.async.Add(1)
	}
	c.commands.Add(uint64(commands))
}

// asyncTrips is the key of contexts in which no request waits.
type asyncTrips struct{}

// hook counts commands and round trips, except those that set up a connection or wait for events.
type hook struct{ count *counters }

// handshake are the commands with which the library sets up connections.
var handshake = map[string]bool{"hello": true, "auth": true, "select": true, "client": true}

func (hook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return next(ctx, network, addr)
	}
}

func (h hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "xread" && !handshake[cmd.Name()] {
			h.count.addTrip(ctx, 1)
		}
		return next(ctx, cmd)
	}
}

func (h hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if len(cmds) > 0 && !handshake[cmds[0].Name()] {
			h.count.addTrip(ctx, len(cmds))
		}
		return next(ctx, cmds)
	}
}
