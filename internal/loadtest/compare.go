package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

func runCompare(ctx context.Context, args []string) error {
	set, binary := flags("compare")
	rounds := set.Int("rounds", 3, "take the best of so many rounds")
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
	c := &comparison{binary: *binary, dir: dir, rounds: *rounds, share: *share, model: *model,
		multiples: multiples{}, failures: failures{n: map[*contestant]int{}}}
	if c.on, err = pin(); err != nil {
		return err
	}
	defer c.stop()
	if err := c.start(); err != nil {
		return err
	}
	where := "not pinned: one CPU alone or no taskset"
	if c.on != "" {
		where = "each contestant on CPU " + string(c.on)
	}
	fmt.Printf("%s, %s, model %s, the best of %d rounds\n", machine(), where, c.model, c.rounds)
	began := time.Now()
	// First, before anything else was done.
	if err := c.idle(ctx, *idle); err != nil {
		return err
	}
	if err := c.allSizes(ctx, *only); err != nil {
		return err
	}
	for _, measure := range []func(context.Context) error{c.live, c.firstReply, c.firstEvent,
		c.leaving} {
		if err := measure(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("\n%v in all\n", time.Since(began).Round(time.Second))
	return c.verdict()
}

// start starts all contestants. nginx is left out if it is not installed.
func (c *comparison) start() (err error) {
	if c.direct, err = self("", "direct", "upstream"); err != nil {
		return err
	}
	bare, err := self(c.on, "bare", "bare", c.direct.url)
	if err != nil {
		return err
	}
	c.field = append(c.field, bare)
	other, err := nginx(c.on, c.direct.url, c.dir)
	switch {
	case errors.Is(err, errNoNginx):
		fmt.Println("left out:", err)
	case err != nil:
		return err
	default:
		c.field = append(c.field, other)
	}
	ours, err := killick(c.on, c.binary, c.direct.url, c.dir)
	if err != nil {
		return err
	}
	c.field = append(c.field, ours)
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
