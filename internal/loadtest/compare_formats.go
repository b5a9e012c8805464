package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// formatSizes are the sizes of bodies at which formats are compared, with the requests of a slice.
var formatSizes = []bodySize{
	{name: "1 KB", bytes: 1 << 10, requests: 1000},
	{name: "50 KB", bytes: 50 << 10, requests: 300, over: 1},
	{name: "500 KB", bytes: 500 << 10, requests: 64, over: 1},
}

// runFormats compares the wire formats: a proxy for each gets the same conversations, encoded in
// its format.
func runFormats(ctx context.Context, args []string) error {
	set, binary := flags("formats")
	rounds := set.Int("rounds", 3, "take the best of so many rounds")
	share := set.Float64("share", 1,
		"of the requests in each slice: less is faster and wavers more")
	dir, remove, err := parse(set, args)
	if err != nil {
		return err
	}
	defer remove()
	c := &comparison{binary: *binary, dir: dir, rounds: *rounds, share: *share, model: "gpt-4.1",
		multiples: multiples{}, failures: failures{n: map[*contestant]int{}}}
	if c.on, err = pin(); err != nil {
		return err
	}
	if c.direct, err = self("", "direct", "upstream"); err != nil {
		return err
	}
	c.direct.api = chatAPI
	defer c.stop()
	fmt.Printf("%s, the best of %d rounds\n", machine(), c.rounds)
	for _, kind := range kinds {
		for _, s := range formatSizes {
			if kind.name != overKind || s.over > 0 {
				if err := c.formats(ctx, s, kind.name, s.name+", "+kind.title); err != nil {
					return err
				}
			}
		}
	}
	return c.failures.first
}

// formats measures bodies of one size in every format and prints a table.
func (c *comparison) formats(ctx context.Context, s bodySize, kind, title string) error {
	field, err := c.oneOfEach(s, kind)
	defer func() {
		for _, one := range field {
			one.stop()
		}
	}()
	if err != nil {
		return err
	}
	all := append([]*contestant{c.direct}, field...)
	best := make([]figures, len(all))
	n := max(int(float64(s.requests)*c.share), parallel)
	for round := range c.rounds {
		busy := c.slice(n, s.bytes, kind != freshKind)
		alone := c.slice(n/4, s.bytes, kind != freshKind)
		for k := range all {
			i := (k + round) % len(all) // each is first in turn
			one := all[i]
			spelled, err := one.api.slices(busy, alone)
			if err != nil {
				return fmt.Errorf("%s: %w", one.api.name, err)
			}
			f, err := c.measure(ctx, one, spelled[0], spelled[1])
			if err != nil {
				return fmt.Errorf("%s, %s: %w", one.api.name, s.name, err)
			}
			best[i].take(f)
		}
	}
	t := table{title: title,
		head: []string{"", "CPU a request", "to chat", "added p50", "to chat", "added p99"}}
	added := func(i int) time.Duration { return best[i].p50 - best[0].p50 }
	for i, one := range all[1:] {
		f := best[i+1]
		t.row(one.api.name, f.cpu.Round(time.Microsecond).String(), ratio(f.cpu, best[1].cpu),
			added(i+1).Round(time.Microsecond).String(), ratio(added(i+1), added(1)),
			(f.p99 - best[0].p99).Round(time.Microsecond).String())
		if err := one.compacted(kind == overKind); err != nil {
			return fmt.Errorf("%s: %w", one.api.name, err)
		}
	}
	t.print()
	return nil
}

// slices are the slices in the format, encoded before anything is measured: a client that encoded
// while sending would be slower than that of chat.
func (a *api) slices(all ...slice) (spelled []slice, err error) {
	for _, s := range all {
		for _, bodies := range []*[parallel][]func() string{&s.before, &s.work} {
			for w := range bodies {
				if bodies[w], err = a.encoded(bodies[w]); err != nil {
					return nil, err
				}
			}
		}
		spelled = append(spelled, s)
	}
	runtime.GC()
	return spelled, nil
}

// encoded returns the bodies in the format, encoded once.
func (a *api) encoded(bodies []func() string) ([]func() string, error) {
	bodies = slices.Clone(bodies)
	for i, body := range bodies {
		text, err := a.spell(body())
		if err != nil {
			return nil, err
		}
		bodies[i] = func() string { return text }
	}
	return bodies, nil
}

// oneOfEach starts a proxy for each format, and a second one for chat, which shows how far two
// equal proxies differ. Over the trigger, they compact. On an error, what was started is still
// returned.
func (c *comparison) oneOfEach(s bodySize, kind string) (field []*contestant, err error) {
	for _, a := range append(slices.Clone(apis), chatAPI) {
		c.sequence++
		dir := filepath.Join(c.dir, strconv.Itoa(c.sequence))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return field, err
		}
		var more []string
		if kind == overKind {
			trigger := s.bytes / bytesPerToken / 2
			more = []string{"--trigger", strconv.Itoa(trigger), "--target",
				strconv.Itoa(trigger / 2)}
		}
		one, err := killick(c.on, c.binary, c.direct.url, dir, more...)
		if err != nil {
			return field, err
		}
		one.api = a
		field = append(field, one)
	}
	return field, nil
}
