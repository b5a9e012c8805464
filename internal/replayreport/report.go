package replayreport

import (
	"fmt"
	"slices"
	"strings"

	"killick/internal/config"
	"killick/internal/terminal"
	"killick/replay"
)

// Report has the results of a replay. Its JSON is the output of --json.
type Report struct {
	Half      string `json:"half"` // of the conversations, that each Total sums up
	MinTokens int    `json:"min_tokens"`
	Files     int    `json:"conversations_read"`
	// Profiles are the profiles of bills. Shares of bills are shares of the raw bill.
	Profiles      []replay.Profile `json:"profiles"`
	Conversations []Conversation   `json:"conversations"`
	Strategies    []Row            `json:"strategies"`
	Decisions     []Decision       `json:"decisions,omitempty"` // with --explain

	sweep    bool
	settings int  // the first strategies, as many as this, are configurations
	planned  bool // each of them was replayed once per profile
}

// Conversation describes a conversation that was replayed.
type Conversation struct {
	ID     string `json:"id"`
	File   string `json:"file"`
	Model  string `json:"model"`
	Half   string `json:"half"`
	Tokens int    `json:"tokens"`
	Turns  int    `json:"turns"`
	// IgnoredSkips counts ranges that the provider read although the usage reports them as skipped.
	IgnoredSkips int `json:"ignored_skips,omitempty"`
}

// Row has the results of a strategy.
type Row struct {
	Name  string          `json:"name"`
	Total *replay.Figures `json:"total"`
	Other *replay.Figures `json:"other_half,omitempty"` // of a sweep over one half
	// Frontier is true if no other strategy is at least as cheap and as faithful, and better in
	// one of the two.
	Frontier      bool              `json:"frontier"`
	Bill          *bill             `json:"usd,omitempty"` // nil unless all prices are known
	Invoices      []Invoice         `json:"invoices"`      // one for each profile
	Conversations []*replay.Figures `json:"conversations"` // in the order of the report's
	// Planned has the results at each profile's prices, if the setting was replayed once per
	// profile. The figures above are then those of the first profile.
	Planned []Planned `json:"by_profile,omitempty"`
}

// Planned has the results of a setting at the prices of one profile.
type Planned struct {
	Profile       string            `json:"profile"`
	Total         *replay.Figures   `json:"total"`
	Conversations []*replay.Figures `json:"conversations"`
}

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

// at returns the results of the strategy at the prices of a profile, and the index of its bills.
func (row *Row) at(profile int) (total *replay.Figures, all []*replay.Figures, bill int) {
	if row.Planned != nil {
		return row.Planned[profile].Total, row.Planned[profile].Conversations, 0
	}
	return row.Total, row.Conversations, profile
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

// atLeast returns the least size of the conversations, after a word; "" if all were measured.
func (r *Report) atLeast(before string) string {
	if r.MinTokens == 0 {
		return ""
	}
	return before + terminal.Grouped(r.MinTokens) + " tokens and more"
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
