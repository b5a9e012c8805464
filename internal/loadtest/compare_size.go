package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// bodySize is a size of bodies, and the limits that the proxy must keep there: the processor time
// of a request as a multiple of nginx's.
type bodySize struct {
	name     string
	bytes    int
	requests int     // in one slice
	under    float64 // the maximum under the trigger, fresh and growing
	over     float64 // the maximum over it, growing; if zero, this is not measured
}

var sizes = []bodySize{
	{"1 KB", 1 << 10, 2000, 4, 0},
	{"50 KB", 50 << 10, 600, 4, 8},
	{"500 KB", 500 << 10, 96, 4, 5},
	{"1 MB", 1 << 20, 64, 4, 0},
	{"2 MB", 2 << 20, 40, 5, 4},
}

// Kinds of conversations that are measured.
const (
	freshKind   = "fresh"
	growingKind = "growing"
	overKind    = "growing, over the trigger"
)

// kinds say what is sent, for the titles of tables.
var kinds = []struct{ name, title string }{
	{freshKind, "a fresh conversation each time"},
	{growingKind, "conversations that grow by a turn"},
	{overKind, "conversations over the trigger that grow by a turn"},
}

// allSizes measures all sizes, or the one that is named.
func (c *comparison) allSizes(ctx context.Context, only string) error {
	for _, kind := range kinds {
		for _, s := range sizes {
			if only != "" && only != s.name || kind.name == overKind && s.over == 0 {
				continue
			}
			field := c.field
			if kind.name == overKind {
				compacting, err := c.compacting(s.bytes)
				if err != nil {
					return err
				}
				others := c.field[:len(c.field)-1]
				field = slices.Concat(others, []*contestant{compacting})
			}
			err := c.size(ctx, s, kind.name, s.name+", "+kind.title, field)
			if kind.name == overKind {
				if err == nil {
					err = field[len(field)-1].compacted(true)
				}
				field[len(field)-1].stop()
			}
			if err != nil {
				return err
			}
		}
	}
	c.multiples.print()
	return c.field[len(c.field)-1].compacted(false)
}

// bytesPerToken is the approximate size of a token of source code.
const bytesPerToken = 4

// compacting starts another proxy with a trigger at half of the tokens of a body of that size, and
// a target at a quarter.
func (c *comparison) compacting(bytes int) (*contestant, error) {
	c.sequence++
	dir := filepath.Join(c.dir, strconv.Itoa(c.sequence))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	trigger := bytes / bytesPerToken / 2
	return killick(c.on, c.binary, c.direct.url, dir, "--trigger", strconv.Itoa(trigger),
		"--target", strconv.Itoa(trigger/2))
}

// compacted returns an error if the proxy compacted when it should not have, or did not when it
// should have: then something else was measured.
func (c *contestant) compacted(wanted bool) error {
	saved, err := c.metric(`killick_tokens_total{kind="saved"}`)
	if err == nil && (saved > 0) != wanted {
		err = fmt.Errorf("%v tokens were saved, want some: %t", saved, wanted)
	}
	return err
}

// size measures bodies of one size and prints a table.
func (c *comparison) size(ctx context.Context, s bodySize, kind, title string,
	field []*contestant) error {
	all := append([]*contestant{c.direct}, field...)
	best := make([]figures, len(all))
	n := max(int(float64(s.requests)*c.share), parallel)
	for range c.rounds {
		busy := c.slice(n, s.bytes, kind != freshKind)
		alone := c.slice(n/4, s.bytes, kind != freshKind)
		for i, one := range all {
			f, err := c.measure(ctx, one, busy, alone)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", one.name, s.name, err)
			}
			best[i].take(f)
		}
	}
	t := table{title: title,
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
		if one.name == "killick" && reference > 0 {
			c.multiples[[2]string{kind, s.name}] = float64(f.cpu) / float64(reference)
		}
	}
	t.print()
	return nil
}

// print prints the multiples beside their limits.
func (m multiples) print() {
	t := table{title: "Killick's CPU a request as a multiple of nginx's (at most)",
		head: []string{""}}
	for _, s := range sizes {
		t.head = append(t.head, s.name)
	}
	for _, kind := range kinds {
		row := []string{kind.name}
		for _, s := range sizes {
			cell, most := "", s.under
			if kind.name == overKind {
				most = s.over
			}
			if x, ok := m[[2]string{kind.name, s.name}]; ok {
				cell = fmt.Sprintf("%.1f (%g)", x, most)
			}
			row = append(row, cell)
		}
		t.row(row...)
	}
	t.print()
}
