package replayreport

import (
	"fmt"
	"slices"
	"strings"

	"killick/internal/config"
	"killick/internal/terminal"
	"killick/replay"
)

// Report is what the command found out. Its JSON is what --json prints.
type Report struct {
	Half      string    `json:"half"` // of the conversations, that Total is about
	MinTokens int       `json:"min_tokens"`
	Files     int       `json:"conversations_read"`
	Prices    []float64 `json:"prices"` // of a cached token, at which costs were measured
	// of bills; shares of bills are shares of doing nothing
	Profiles      []replay.Profile `json:"profiles"`
	Conversations []Conversation   `json:"conversations"`
	Strategies    []Row            `json:"strategies"`
	Decisions     []Decision       `json:"decisions,omitempty"` // if they were asked for

	sweep    bool
	settings int  // how many of the strategies are configurations
	planned  bool // each of these was replayed once for each profile
}

// Conversation is one that was replayed.
type Conversation struct {
	ID     string `json:"id"`
	File   string `json:"file"`
	Model  string `json:"model"`
	Half   string `json:"half"`
	Tokens int    `json:"tokens"`
	Turns  int    `json:"turns"`
	// ranges of messages that the usage says were left out, though the provider read them
	IgnoredSkips int `json:"ignored_skips,omitempty"`
}

// Row is what came of a strategy.
type Row struct {
	Name  string          `json:"name"`
	Total *replay.Figures `json:"total"`
	Other *replay.Figures `json:"other_half,omitempty"` // of a sweep over one half
	// none is both cheaper and more faithful
	Frontier bool `json:"frontier"`
	// nil unless the prices of all models are known
	Bill          *bill             `json:"usd,omitempty"`
	Invoices      []Invoice         `json:"invoices"`      // one for each profile
	Conversations []*replay.Figures `json:"conversations"` // in the order of the report's
	// of a setting that was replayed with each profile's prices; the figures above are then those
	// with the first profile's
	Planned []Planned `json:"by_profile,omitempty"`
}

// Planned is what came of a setting where models charge what a profile says.
type Planned struct {
	Profile       string            `json:"profile"`
	Total         *replay.Figures   `json:"total"`
	Conversations []*replay.Figures `json:"conversations"`
}

// gather sums the results up.
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

// rowOf sums up what came of the strategy of a number.
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

// at returns what came of the strategy at the prices of a profile, and the number of its bills.
func (row *Row) at(profile int) (total *replay.Figures, all []*replay.Figures, bill int) {
	if row.Planned != nil {
		return row.Planned[profile].Total, row.Planned[profile].Conversations, 0
	}
	return row.Total, row.Conversations, profile
}

// markFrontier marks the rows that no other beats in both cost with re-reads
// and recall of old references.
func (r *Report) markFrontier() {
	beats := func(a, b *replay.Figures) bool {
		ac, bc := a.Costs[0].WithRereads(), b.Costs[0].WithRereads()
		ar, br := a.Recall.Old.Share(), b.Recall.Old.Share()
		return ac <= bc && ar >= br && (ac < bc || ar > br)
	}
	for i := range r.Strategies {
		row := &r.Strategies[i]
		row.Frontier = len(row.Total.Costs) > 0 &&
			!slices.ContainsFunc(r.Strategies,
				func(o Row) bool { return beats(o.Total, row.Total) })
	}
}

// price works the bills out, if the prices of all models are known.
func (r *Report) price(c config.Config) {
	for i := range r.Strategies {
		var b bill
		for n, f := range r.Strategies[i].Conversations {
			p, ok := c.PricesOf(r.Conversations[n].Model)
			if !ok {
				return
			}
			if r.Half == "all" || r.Conversations[n].Half == r.Half {
				b.add(f, p)
			}
		}
		r.Strategies[i].Bill = &b
	}
}

// atLeast says which conversations were left out as too short, after a word.
func (r *Report) atLeast(before string) string {
	if r.MinTokens == 0 {
		return ""
	}
	return before + terminal.Grouped(r.MinTokens) + " tokens and more"
}

// drawProgress draws how far a replay has come.
func drawProgress(done replay.Progress, l terminal.Look) string {
	const bar = 32
	full := int(bar * done.Done / max(1, done.Of))
	return fmt.Sprintf("  %s%s %3d%%", l.Sent(strings.Repeat(l.Glyphs.Sent, full)),
		l.Raw(strings.Repeat(l.Glyphs.Raw, bar-full)), 100*done.Done/max(1, done.Of))
}
