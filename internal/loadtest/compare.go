package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// comparison measures contestants side by side. All get the same requests, in alternating slices,
// so that a machine with varying speed is fair to all; the best of several rounds counts.
type comparison struct {
	direct   *contestant // the upstream itself, which the others are compared to
	field    []*contestant
	rounds   int
	share    float64 // of the full number of requests in each slice
	model    string
	sequence int // numbers the conversations, none of which is sent twice

	mu       sync.Mutex
	failures failures
}

// sizes are the sizes of bodies that are measured: name, bytes, requests in one slice.
var sizes = []struct {
	name     string
	bytes    int
	requests int
}{
	{"1 KB", 1 << 10, 3000}, {"50 KB", 50 << 10, 1000}, {"500 KB", 500 << 10, 160},
	{"2 MB", 2 << 20, 48},
}

// parallel is the number of concurrent requests while throughput and processor time are measured.
const parallel = 4

func runCompare(ctx context.Context, args []string) error {
	set, binary := flags("compare")
	rounds := set.Int("rounds", 5, "take the best of so many rounds")
	share := set.Float64("share", 1,
		"of the requests in each slice: less is faster and wavers more")
	model := set.String("model", "gpt-4.1",
		"the model asked for; its window decides what is compacted")
	idle := set.Int("idle", 500, "idle streams whose memory is taken")
	only := set.String("size", "", "measure bodies of this size alone, such as \"50 KB\"")
	dir, remove, err := parse(set, args)
	if err != nil {
		return err
	}
	defer remove()
	c := &comparison{rounds: *rounds, share: *share, model: *model,
		failures: failures{n: map[*contestant]int{}}}
	defer c.stop()
	if err := c.start(*binary, dir); err != nil {
		return err
	}
	fmt.Printf("%s, model %s, the best of %d rounds\n", machine(), c.model, c.rounds)
	// First, before anything else was done.
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

// start starts all contestants. nginx is left out if it is not installed.
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
		one.stop()
	}
}

// failures counts the failed requests of a contestant. A bare ReverseProxy occasionally cuts
// replies of fast upstreams, which must not end the comparison.
type failures struct {
	n     map[*contestant]int
	first error // of Killick
}

// mostFailures is the number of failed requests of one contestant that ends the comparison.
const mostFailures = 1000

func (c *comparison) failed(one *contestant, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures.n[one]++
	if one.name == "killick" && c.failures.first == nil {
		c.failures.first = err
	}
	if c.failures.n[one] > mostFailures {
		return fmt.Errorf("%s failed more than %d requests, the last: %w", one.name,
			mostFailures, err)
	}
	return nil
}

// verdict reports the failures. Killick must not have any.
func (c *comparison) verdict() error {
	t := table{title: "Requests that were not answered as the upstream did",
		head: []string{"", "failed"}}
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
		busy, alone := c.slice(n, sizes[which].bytes, growing),
			c.slice(n/4, sizes[which].bytes, growing)
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
	t := table{title: sizes[which].name + ", " + kind,
		head: []string{"", "requests/s", "CPU a request", "to nginx", "added p50", "added p99"}}
	reference := time.Duration(0)
	for i, one := range all {
		if one.name == "nginx" {
			reference = best[i].cpu
		}
	}
	for i, one := range all[1:] {
		f := best[i+1]
		t.row(one.name, fmt.Sprintf("%.0f", f.rate), f.cpu.Round(time.Microsecond).String(),
			ratio(f.cpu, reference),
			(f.p50 - best[0].p50).Round(time.Microsecond).String(),
			(f.p99 - best[0].p99).Round(time.Microsecond).String())
	}
	t.print()
	return nil
}
