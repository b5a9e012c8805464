package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// comparison measures contestants side by side. All get the same requests, in
// slices that take turns, so that a machine whose speed wavers is unfair to
// none; of several rounds the best counts.
type comparison struct {
	direct   *contestant // the upstream itself: what the others add to
	field    []*contestant
	rounds   int
	share    float64 // of the full number of requests in each slice
	model    string
	sequence int // numbers conversations: none is ever sent twice

	mu       sync.Mutex
	failures failures
}

// sizes are the bodies that are measured: name, bytes, requests in one slice.
var sizes = []struct {
	name     string
	bytes    int
	requests int
}{
	{"1 KB", 1 << 10, 3000}, {"50 KB", 50 << 10, 1000}, {"500 KB", 500 << 10, 160}, {"2 MB", 2 << 20, 48},
}

// parallel is how many requests are under way at once while throughput and
// processor time are taken.
const parallel = 4

func runCompare(ctx context.Context, args []string) error {
	set, binary := flags("compare")
	rounds := set.Int("rounds", 5, "take the best of so many rounds")
	share := set.Float64("share", 1, "of the requests in each slice: less is faster and wavers more")
	model := set.String("model", "gpt-4.1", "the model asked for; its window decides what is compacted")
	idle := set.Int("idle", 500, "idle streams whose memory is taken")
	only := set.String("size", "", "measure bodies of this size alone, such as \"50 KB\"")
	if err := set.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "killick-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &comparison{rounds: *rounds, share: *share, model: *model, failures: failures{n: map[*contestant]int{}}}
	defer c.stop()
	if err := c.start(*binary, dir); err != nil {
		return err
	}
	fmt.Printf("%s, model %s, the best of %d rounds\n", machine(), c.model, c.rounds)
	// First, while nobody has done anything else yet.
	if err := c.idle(ctx, *idle); err != nil {
		return err
	}
	for _, growing := range []bool{false, true} {
		for i := range sizes {
			if *only != "" && *only != sizes[i].name {
				continue
			}
			if err := c.size(ctx, i, growing); err != nil {
				return err
			}
		}
	}
	if err := c.firstEvent(ctx); err != nil {
		return err
	}
	if err := c.leaving(ctx); err != nil {
		return err
	}
	return c.verdict()
}

// start starts everybody. nginx is left out where it is not installed.
func (c *comparison) start(binary, dir string) (err error) {
	if c.direct, err = self("direct", "upstream"); err != nil {
		return err
	}
	bare, err := self("bare", "bare", c.direct.url)
	if err != nil {
		return err
	}
	c.field = append(c.field, bare)
	other, err := nginx(c.direct.url, dir)
	switch {
	case errors.Is(err, errNoNginx):
		fmt.Println("left out:", err)
	case err != nil:
		return err
	default:
		c.field = append(c.field, other)
	}
	ours, err := killick(binary, c.direct.url, dir)
	if err != nil {
		return err
	}
	c.field = append(c.field, ours)
	return nil
}

func (c *comparison) stop() {
	for _, one := range append(c.field, c.direct) {
		_ = one.stop()
	}
}

// slice is the requests that every contestant gets in one round: each worker's,
// in order. before is sent first and not measured.
type slice struct{ before, work [parallel][]func() string }

// growingTurns is how often one conversation is measured as it grows.
const growingTurns = 20

func (c *comparison) slice(n, size int, growing bool) (s slice) {
	for w := range parallel {
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

// figures are what one contestant came to, the best of the rounds.
type figures struct {
	rate     float64       // requests a second
	cpu      time.Duration // of a request
	p50, p99 time.Duration // of a request that is alone
}

// failures counts what a contestant failed to answer. A bare ReverseProxy cuts
// replies of fast upstreams now and then, which must not end the comparison.
type failures struct {
	n     map[*contestant]int
	first error // of ours
}

// mostFailures is how many requests one contestant may fail before there is
// nothing to compare.
const mostFailures = 1000

func (c *comparison) failed(one *contestant, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures.n[one]++
	if one.name == "killick" && c.failures.first == nil {
		c.failures.first = err
	}
	if c.failures.n[one] > mostFailures {
		return fmt.Errorf("%s failed more than %d requests, the last: %w", one.name, mostFailures, err)
	}
	return nil
}

// verdict tells what failed. Ours may not fail any.
func (c *comparison) verdict() error {
	t := table{title: "Requests that were not answered as the upstream did", head: []string{"", "failed"}}
	for _, one := range c.field {
		t.row(one.name, fmt.Sprint(c.failures.n[one]))
	}
	t.print()
	if err := c.failures.first; err != nil {
		return fmt.Errorf("the proxy failed requests, the first: %w", err)
	}
	return nil
}

// size measures bodies of one size and prints a table.
func (c *comparison) size(ctx context.Context, which int, growing bool) error {
	all := append([]*contestant{c.direct}, c.field...)
	best := make([]figures, len(all))
	n := max(int(float64(sizes[which].requests)*c.share), parallel)
	for range c.rounds {
		busy, alone := c.slice(n, sizes[which].bytes, growing), c.slice(n/4, sizes[which].bytes, growing)
		for i, one := range all {
			f, err := c.measure(ctx, one, busy, alone)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", one.name, sizes[which].name, err)
			}
			best[i].take(f)
		}
	}
	kind := "a fresh conversation each time"
	if growing {
		kind = "conversations that grow by a turn"
	}
	t := table{title: sizes[which].name + ", " + kind, head: []string{"", "requests/s", "CPU a request", "to nginx", "added p50", "added p99"}}
	reference := time.Duration(0)
	for i, one := range all {
		if one.name == "nginx" {
			reference = best[i].cpu
		}
	}
	for i, one := range all[1:] {
		f := best[i+1]
		t.row(one.name, fmt.Sprintf("%.0f", f.rate), f.cpu.Round(time.Microsecond).String(), ratio(f.cpu, reference),
			(f.p50 - best[0].p50).Round(time.Microsecond).String(), (f.p99 - best[0].p99).Round(time.Microsecond).String())
	}
	t.print()
	return nil
}

func (f *figures) take(o figures) {
	if f.rate == 0 {
		*f = o
		return
	}
	f.rate = max(f.rate, o.rate)
	f.cpu, f.p50, f.p99 = min(f.cpu, o.cpu), min(f.p50, o.p50), min(f.p99, o.p99)
}

// measure sends one contestant its requests: several at once for throughput and
// processor time, then one after another for the latency.
func (c *comparison) measure(ctx context.Context, one *contestant, busy, alone slice) (f figures, err error) {
	client := newClient(one.url)
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

// think is what a client does between a reply and its next request where
// latencies are taken. What a proxy does when its reply is out, such as writing
// its log, keeps nobody waiting then.
const think = 500 * time.Microsecond

// send sends each worker's requests in order, the workers at once, and returns
// how long each request took that was answered.
func (c *comparison) send(ctx context.Context, one *contestant, client *client, work [parallel][]func() string, pause time.Duration) (times []time.Duration, err error) {
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
