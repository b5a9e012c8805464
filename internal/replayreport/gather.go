package replayreport

import (
	"fmt"
	"slices"
	"strings"

	"killick/internal/config"
	"killick/internal/terminal"
	"killick/replay"
)

// gather sums up the results.
func (r *Report) gather(strategies []replay.Strategy, results []replay.Result) {
	for _, res := range results {
		c := Conversation{ID: res.ID, File: res.File, Model: res.Model, Half: "even",
			Tokens: res.Tokens, Turns: res.Turns, IgnoredSkips: res.IgnoredSkips}
		if inHalf(res.ID, "odd") {
			c.Half = "odd"
		}
		r.Conversations = append(r.Conversations, c)
	}
	for i := 0; i < len(strategies); i++ {
		row := r.rowOf(strategies[i].Name, i, results)
		if r.planned && len(r.Strategies) < r.settings {
			for n, p := range r.Profiles {
				at := r.rowOf(p.Name, i+n, results)
				row.Planned = append(row.Planned, Planned{p.Name, at.Total, at.Conversations})
			}
			i += len(r.Profiles) - 1
		}
		row.Invoices = r.invoices(row)
		r.Strategies = append(r.Strategies, row)
	}
	r.markFrontier()
}

// rowOf sums up the results of the strategy with index i.
func (r *Report) rowOf(name string, i int, results []replay.Result) Row {
	row := Row{Name: name}
	var half, other []*replay.Figures
	for n, res := range results {
		row.Conversations = append(row.Conversations, res.Figures[i])
		if r.Half == "all" || r.Conversations[n].Half == r.Half {
			half = append(half, res.Figures[i])
		} else {
			other = append(other, res.Figures[i])
		}
	}
	row.Total = replay.Total(half)
	if len(other) > 0 {
		row.Other = replay.Total(other)
	}
	return row
}

// markFrontier sets Frontier, by cost with re-reads and by recall of old references.
func (r *Report) markFrontier() {
	beats := func(a, b *replay.Figures) bool {
		ac, bc := a.Bills[0].Share(), b.Bills[0].Share()
		ar, br := a.Recall.Old.Share(), b.Recall.Old.Share()
		return ac <= bc && ar >= br && (ac < bc || ar > br)
	}
	for i := range r.Strategies {
		row := &r.Strategies[i]
		row.Frontier = len(row.Total.Bills) > 0 &&
			!slices.ContainsFunc(r.Strategies,
				func(o Row) bool { return beats(o.Total, row.Total) })
	}
}

// price computes the bills in dollars, if the prices of all models are known.
func (r *Report) price(c config.Config) {
	for i := range r.Strategies {
		var b bill
		for n, f := range r.Strategies[i].Conversations {
			p, ok := c.PricesOf(r.Conversations[n].Model)
			if !ok || f.AtModel == nil {
				return
			}
			if r.Half == "all" || r.Conversations[n].Half == r.Half {
				b.add(f, p)
			}
		}
		r.Strategies[i].Bill = &b
	}
}

// nothingToMeasure returns an error if no conversation was replayed, or none of the chosen half.
func (r *Report) nothingToMeasure() error {
	switch {
	case r.Files == 0:
		return fmt.Errorf("nothing to measure: the %s half has no conversation", r.Half)
	case len(r.Conversations) == 0:
		return fmt.Errorf("nothing to measure: none of %s has an answer of a model%s",
			terminal.Plural(r.Files, "conversation"), r.atLeast(" and "))
	case r.Strategies[0].Total.Conversations == 0:
		return fmt.Errorf("nothing to measure: the %s half has none of %s", r.Half,
			terminal.Plural(len(r.Conversations), "conversation"))
	}
	return nil
}

// drawProgress draws the progress of a replay.
func drawProgress(done replay.Progress, l terminal.Look) string {
	const bar = 32
	full := int(bar * done.Done / max(1, done.Of))
	return fmt.Sprintf("  %s%s %3d%%", l.Sent(strings.Repeat(l.Glyphs.Sent, full)),
		l.Raw(strings.Repeat(l.Glyphs.Raw, bar-full)), 100*done.Done/max(1, done.Of))
}
