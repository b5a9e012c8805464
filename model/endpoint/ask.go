package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// errFormat is a request in a format without a protocol.
var errFormat = errors.New("models are not asked in this wire format")

// Ask makes a request, in successively older dialects until the endpoint accepts it. What
// the endpoint does not support is remembered and not sent again. An error wraps one of
// this package's.
func (c *Client) Ask(ctx context.Context, r Request) (Reply, error) {
	if protocols[r.format()] == nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrRejected, errFormat)
	}
	known := c.dialects.get(r.Target)
	for try := known; ; {
		w := r.write(try)
		got, rejected, err := c.send(ctx, &r, w)
		next, named, ok := try.older(rejected, w)
		if !ok {
			if err == nil && try != known {
				c.dialects.learn(r.Target, try)
			}
			return got, err
		}
		if named {
			c.dialects.learn(r.Target, next)
			known = next
		}
		try = next
	}
}

// send makes one HTTP request.
func (c *Client) send(ctx context.Context, r *Request, w written) (Reply, rejection, error) {
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	var why rejection
	var reached atomic.Bool // the endpoint, with all of the request
	bounded = httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				reached.Store(true)
			}
		},
		GotFirstResponseByte: func() { reached.Store(true) },
	})
	started := time.Now()
	got, err := c.breakers.get(r.Target).Execute(func() (answer, error) {
		if err := c.limits.take(bounded, r.Key); err != nil {
			return answer{}, err
		}
		got, err := c.post(bounded, r, w.body)
		why, err = classify(bounded, err, r.Target.Own)
		return got, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return Reply{}, rejection{}, fmt.Errorf(
			"%w: no calls for a while after %d failures in a row", ErrUnavailable, c.opt.TripAfter)
	case errors.Is(err, ErrLimit):
		return Reply{}, rejection{}, err
	}
	e := Exchange{Duration: time.Since(started), Err: err, Usage: Usage{Calls: 1}}
	price := c.opt.Prices(r.Target.Model)
	if err == nil {
		e.Reply = got.reply
		e.Usage = price.usage(got.used, len(w.body), len(got.reply.Text))
	}
	cost := e.Usage.Cost
	if err != nil && reached.Load() && why.status == 0 && !errors.Is(err, errRedirect) {
		cost = price.most(len(w.body), r.MaxOutput)
	}
	c.limits.pay(context.WithoutCancel(ctx), r.Key, cost)
	if r.Report != nil {
		r.Report(e)
	}
	return e.Reply, why, err
}
