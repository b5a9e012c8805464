package shared

import (
	"context"
	"errors"
	"time"
)

// ErrAway means that the shared store is not used, since it did not answer a moment ago.
var ErrAway = errors.New("the shared store cannot be used")

// do runs commands for at most limit. It fails immediately with ErrAway if the store did not answer
// a moment ago.
func (c *Client) do(
	ctx context.Context, limit time.Duration, commands func(context.Context) error,
) error {
	if !c.health.isUp() {
		c.count.away.Add(1)
		return ErrAway
	}
	if limit <= 0 {
		c.count.timeouts.Add(1)
		return context.DeadlineExceeded
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := commands(bounded)
	if ctx.Err() != nil {
		return ctx.Err() // the caller gave up, which is not a fault of the store
	}
	c.note(err, time.Since(began))
	return err
}

// doWithin is do in a separate goroutine, which is abandoned if it takes longer than limit: the
// library waits for locks and other hosts' answers without regard to a context.
func (c *Client) doWithin(
	ctx context.Context, limit time.Duration, commands func(context.Context) error,
) error {
	if !c.health.isUp() || limit <= 0 {
		return c.do(ctx, limit, commands)
	}
	ended := make(chan error, 1)
	c.asking.Go(func() { ended <- c.do(ctx, limit, commands) })
	late := time.NewTimer(limit + grace)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return context.DeadlineExceeded
	}
}

// grace is the delay with which a time-out may be noticed.
const grace = time.Millisecond

// checkWritable returns an error if the server only reads, such as a replica: what it reads would
// pass for a store that is up, and each write would begin another outage. A store that is full
// refuses writes too, but can be used.
func (c *Client) checkWritable(ctx context.Context) error {
	err := c.redis.Unlink(ctx, unusedName).Err()
	if kindOf(err) == full {
		return nil
	}
	return err
}

// checkLatency returns an error unless the store answers fast enough for all round trips of a
// request.
func (c *Client) checkLatency(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout/maxTrips)
	defer cancel()
	return c.redis.Get(ctx, checkName).Err()
}
