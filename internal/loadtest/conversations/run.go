package conversations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"killick/cache/shared"
)

// Options say what is measured.
type Options struct {
	Shape    Shape
	Counts   []int // numbers of conversations to measure at, ascending
	Replicas int
	Sample   int // requests of each kind at each count
	Server   *Server
	Dir      string // of the store on disk
	OnDisk   int    // conversations up to which the store on disk is measured; if zero, it is not

	Progress func(string) // may be nil
}

// Result is the measurements with one shape.
type Result struct {
	Shape          Shape
	Shared, OnDisk []Step // at each count
}

// Step is the measurements at one number of conversations.
type Step struct {
	Conversations int
	Memory        Memory // of the server, without what it held when it was empty
	Filled        time.Duration
	Requests      []Requests
	Missed        int // requests that did not find the stored form
	Stats         shared.Stats
}

// Requests are those of one kind.
type Requests struct {
	Kind     string
	Median   time.Duration
	P99      time.Duration
	Late     int     // of them, longer than the default time-out
	Trips    uint64  // the maximum of any request
	Commands float64 // of one, with those after it
}

// The kinds of requests.
const (
	elsewhere = "at another replica"
	again     = "the next one there"
	making    = "one that makes a form"
	firstOne  = "the first of one, making a form"
)

// fillWorkers is how many conversations are written concurrently while a store is filled.
const fillWorkers = 32

// Run measures the shared store, and then the one on disk.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	result := &Result{Shape: o.Shape}
	if err := o.Server.client.FlushAll(ctx).Err(); err != nil {
		return nil, err
	}
	empty, err := o.Server.memory(ctx)
	if err != nil {
		return nil, err
	}
	replicas := make([]*replica, o.Replicas)
	for i := range replicas {
		if replicas[i], err = newReplica(ctx, o.Server.URL); err != nil {
			return nil, err
		}
		defer func() { _ = replicas[i].close() }()
	}
	result.Shared, err = o.steps(ctx, "shared", replicas, func() (m Memory, err error) {
		m, err = o.Server.memory(ctx)
		m.Used -= empty.Used
		m.Keys -= empty.Keys
		return m, err
	})
	o.Counts = slices.DeleteFunc(slices.Clone(o.Counts), func(n int) bool { return n > o.OnDisk })
	if err != nil || len(o.Counts) == 0 {
		return result, err
	}
	own, err := newOwn(o.Dir)
	if err != nil {
		return nil, err
	}
	result.OnDisk, err = o.steps(ctx, "on disk", []*replica{own}, func() (m Memory, err error) {
		return m, nil
	})
	return result, errors.Join(err, own.close())
}

// steps fills a store up to each count, and measures there.
func (o *Options) steps(
	ctx context.Context, name string, replicas []*replica, look func() (Memory, error),
) (steps []Step, err error) {
	from := 0
	var measured Memory // what the measurements themselves added
	for _, count := range o.Counts {
		s := Step{Conversations: count}
		began := time.Now()
		o.Progress(fmt.Sprintf("%s, %s: filling to %d", o.Shape.Name, name, count))
		if err := o.fill(ctx, name, replicas, from, count); err != nil {
			return steps, err
		}
		for _, r := range replicas {
			r.flush(ctx)
		}
		s.Filled = time.Since(began)
		if s.Memory, err = look(); err != nil {
			return steps, err
		}
		if err := o.measure(ctx, replicas, from, &s); err != nil {
			return steps, err
		}
		after, err := look()
		if err != nil {
			return steps, err
		}
		more := Memory{Used: after.Used - s.Memory.Used, Keys: after.Keys - s.Memory.Keys}
		s.Memory.Used, s.Memory.Keys = s.Memory.Used-measured.Used, s.Memory.Keys-measured.Keys
		measured.Used, measured.Keys = measured.Used+more.Used, measured.Keys+more.Keys
		s.Stats = sum(replicas)
		o.Progress(fmt.Sprintf("%s, %s: %d conversations, filled in %v, %d bytes for each; %v; "+
			"%d requests missed their form; %d time-outs, %d outages, %d writes dropped",
			o.Shape.Name, name, count, s.Filled.Round(time.Millisecond), s.PerConversation(),
			s.Requests, s.Missed, s.Stats.Timeouts, s.Stats.Outages, s.Stats.Dropped))
		steps, from = append(steps, s), count
	}
	return steps, nil
}

// PerConversation is how many bytes the server takes for each.
func (s *Step) PerConversation() int64 { return s.Memory.Used / int64(s.Conversations) }

func sum(replicas []*replica) (all shared.Stats) {
	for _, r := range replicas {
		s := r.stats()
		all.RoundTrips += s.RoundTrips - s.Async // of requests
		all.Async += s.Async
		all.Commands += s.Commands
		all.Adopted += s.Adopted
		all.Conflicts += s.Conflicts
		all.Unsealed += s.Unsealed
		all.Dropped += s.Dropped
		all.Refused += s.Refused
		all.Timeouts += s.Timeouts
		all.Outages += s.Outages
		all.Failures += s.Failures
		all.Away += s.Away
	}
	return all
}

// fill plays conversations, each with its forms at one replica after another.
func (o *Options) fill(
	ctx context.Context, name string, replicas []*replica, from, to int,
) error {
	var next, done atomic.Int64
	next.Store(int64(from))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	const reportEvery = 50_000
	for range fillWorkers {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < to && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				if err := o.live(ctx, replicas, n); err != nil {
					cancel(fmt.Errorf("conversation %d: %w", n, err))
				}
				if d := done.Add(1); d%reportEvery == 0 {
					o.Progress(fmt.Sprintf("%s, %s: %d of %d", o.Shape.Name, name, d, to-from))
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// live plays one conversation, with all its forms.
func (o *Options) live(ctx context.Context, replicas []*replica, number int) error {
	const maxWaiting = 4 << 20 // less than a replica drops
	l := o.Shape.life(number)
	for i := range l.forms {
		r := replicas[(number+i)%len(replicas)]
		q := request{number: number, messages: (i + 1) * messagesOfForm, form: &l.forms[i],
			originals: l.originals[i], writes: true}
		if _, err := q.run(ctx, r); err != nil {
			return err
		}
		if r.stats().Waiting > maxWaiting {
			r.flush(ctx)
		}
	}
	return nil
}

// measure times requests, one after another, of the conversations from a number on.
func (o *Options) measure(ctx context.Context, replicas []*replica, from int, s *Step) error {
	sample := min(o.Sample, s.Conversations-from)
	for _, kind := range []string{elsewhere, again, making, firstOne} {
		times := make([]time.Duration, 0, sample)
		before := sum(replicas)
		got := Requests{Kind: kind}
		for i := range sample {
			number := from + i*((s.Conversations-from)/sample)
			l := o.Shape.life(number)
			messages := len(l.forms) * messagesOfForm
			q := request{number: number, messages: messages + 2}
			r := replicas[(number+len(l.forms))%len(replicas)] // it made none of the last forms
			switch kind {
			case again:
				q.messages += 2
			case making:
				q.messages += messagesOfForm
				q.form, q.originals = &l.forms[0], l.originals[0]
				r = replicas[(number+len(l.forms)+1)%len(replicas)]
			case firstOne: // of a conversation that is in no store
				q = request{number: 1<<40 + s.Conversations<<20 + number, messages: messagesOfForm,
					form: &l.forms[0], originals: l.originals[0]}
			}
			trips := ofRequests(r)
			found, err := q.run(ctx, r)
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			times = append(times, q.took)
			got.Trips = max(got.Trips, ofRequests(r)-trips)
			if found != (kind != firstOne) {
				s.Missed++
			}
		}
		for _, r := range replicas {
			r.flush(ctx)
		}
		got.Commands = float64(sum(replicas).Commands-before.Commands) / float64(sample)
		slices.Sort(times)
		got.Median, got.P99 = times[len(times)/2], times[len(times)*99/100]
		for _, d := range times {
			if d > shared.DefaultTimeout {
				got.Late++
			}
		}
		s.Requests = append(s.Requests, got)
	}
	return nil
}

// ofRequests counts the round trips that requests wait for.
func ofRequests(r *replica) uint64 {
	s := r.stats()
	return s.RoundTrips - s.Async
}

// String implements [fmt.Stringer].
func (r Requests) String() string {
	return fmt.Sprintf("%s: %v, p99 %v, %d trips, %.1f commands", r.Kind,
		r.Median.Round(time.Microsecond), r.P99.Round(time.Microsecond), r.Trips, r.Commands)
}
