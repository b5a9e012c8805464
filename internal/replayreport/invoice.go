package replayreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"killick/compactor/plan"
	"killick/internal/terminal"
	"killick/replay"
)

// Invoice is a strategy's bill under one profile, and what single conversations came to.
type Invoice struct {
	Profile  string      `json:"profile"`
	Bill     replay.Bill `json:"bill"`
	Captured float64     `json:"captured"` // of what could be saved, re-reads included
	// likewise, if edits alone quoted lines
	ForEdits float64 `json:"captured_for_edits"`
	// of the conversations in which something could be saved
	MedianCaptured float64 `json:"median_captured"`
	Worst          Extreme `json:"worst_captured"`
	// conversations that came to more than maxOfRaw of doing nothing, and the dearest of all
	Dearer  int     `json:"dearer"`
	Dearest Extreme `json:"dearest"`
	// of doing nothing, how far the simulation is off; nil without usage
	Simulation *Simulation `json:"simulation,omitempty"`
}

// Extreme is the conversation with the lowest or highest share.
type Extreme struct {
	ID    string  `json:"id"`
	Share float64 `json:"share"`
}

// Simulation compares simulated bills of doing nothing with recorded ones.
type Simulation struct {
	Share  float64 `json:"share"` // simulated ÷ recorded
	Of     int     `json:"of"`
	Within int     `json:"within"` // conversations within maxDeviation
	Worst  Extreme `json:"worst"`
}

// What the issue of the measure asks for.
const (
	maxOfRaw     = 1.005
	maxDeviation = 0.05
)

// invoices sums up a row's bills; the row has its total and its conversations.
func (r *Report) invoices(row Row) (all []Invoice) {
	for i := range r.Profiles {
		total, conversations, bill := row.at(i)
		if len(total.Bills) == 0 {
			return nil // no conversation
		}
		b := total.Bills[bill]
		v := Invoice{Profile: b.Profile.Name, Bill: b}
		v.Captured, _ = b.Captured()
		v.ForEdits, _ = b.CapturedForEdits()
		var captured, shares, simulated []Extreme
		for n, f := range conversations {
			c := r.Conversations[n]
			if r.Half != "all" && c.Half != r.Half {
				continue
			}
			one := f.Bills[bill]
			shares = append(shares, Extreme{c.ID, one.Share()})
			if share, ok := one.Captured(); ok {
				captured = append(captured, Extreme{c.ID, share})
			}
			if one.Recorded > 0 {
				simulated = append(simulated, Extreme{c.ID, one.Simulated / one.Recorded})
			}
		}
		byShare := func(a, b Extreme) int { return cmp.Compare(a.Share, b.Share) }
		if slices.SortFunc(captured, byShare); len(captured) > 0 {
			v.Worst, v.MedianCaptured = captured[0], captured[len(captured)/2].Share
		}
		v.Dearest = slices.MaxFunc(shares, byShare)
		for _, s := range shares {
			v.Dearer += btoi(s.Share > maxOfRaw)
		}
		if len(simulated) > 0 {
			v.Simulation = simulationOf(b, simulated)
		}
		all = append(all, v)
	}
	return all
}

func simulationOf(total replay.Bill, all []Extreme) *Simulation {
	off := func(e Extreme) float64 { return math.Abs(e.Share - 1) }
	s := &Simulation{Share: total.Simulated / total.Recorded, Of: len(all),
		Worst: slices.MaxFunc(all, func(a, b Extreme) int { return cmp.Compare(off(a), off(b)) })}
	for _, e := range all {
		s.Within += btoi(off(e) <= maxDeviation)
	}
	return s
}

// profileWidth is the width of a profile's name in tables.
const profileWidth = 18

// drawInvoices draws the bills: of the first setting a line for each profile, and where there are
// several strategies what each captures.
func (r *Report) drawInvoices(b *strings.Builder, l terminal.Look) {
	fmt.Fprintf(b, "\n%s\n", l.Wrap("Bills in % of doing nothing, with re-reads. Captured is the "+
		"share of what could be saved at all: down to new tokens written once, the standing part "+
		"and rests paid. Edits is the same if edits alone re-read: other calls quote lines "+
		"without having to. Over is how many conversations came to more than 100.5%.", 2))
	if len(r.Strategies) > 1 {
		r.drawCaptured(b, l)
	}
	if !r.sweep {
		r.drawProfiles(b, l, r.Strategies[0])
		drawParts(b, l, r.Strategies[0])
		drawPlanned(b, l, r.Strategies[0])
		r.drawSimulation(b, l)
	}
}

// drawProfiles draws one strategy's bill under each profile.
func (r *Report) drawProfiles(b *strings.Builder, l terminal.Look, row Row) {
	fmt.Fprintf(b, "\n  %s\n", l.Strong(row.Name))
	fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("%-*s%7s%7s%7s%9s%7s%7s%8s%6s", profileWidth,
		"prices", "bill", "plain", "floor", "captured", "edits", "median", "worst", "over")))
	for _, v := range row.Invoices {
		fmt.Fprintf(b, "  %-*s%7s%7s%7s%9s%7s%7s%8s%6s\n", profileWidth,
			cut(terminal.Printable(v.Profile), profileWidth-1), tenths(v.Bill.Share()),
			tenths(v.Bill.PlainShare()), tenths(v.Bill.FloorShare()), tenths(v.Captured),
			tenths(v.ForEdits), tenths(v.MedianCaptured), tenths(v.Worst.Share),
			fmt.Sprintf("%d/%d", v.Dearer, row.Total.Conversations))
	}
	dearest := slices.MaxFunc(row.Invoices, func(a, b Invoice) int {
		return cmp.Compare(a.Dearest.Share, b.Dearest.Share)
	})
	worst := slices.MinFunc(row.Invoices, func(a, b Invoice) int {
		return cmp.Compare(a.Worst.Share, b.Worst.Share)
	})
	name := func(e Extreme) string { return cut(terminal.Printable(e.ID), 28) }
	fmt.Fprintf(b, "  %s\n  %s\n",
		l.Dim(fmt.Sprintf("dearest: %s, %s at %s", name(dearest.Dearest),
			tenths(dearest.Dearest.Share), cut(dearest.Profile, profileWidth))),
		l.Dim(fmt.Sprintf("least captured: %s, %s at %s", name(worst.Worst),
			tenths(worst.Worst.Share), cut(worst.Profile, profileWidth))))
}

// drawPlanned draws what one setting did at the prices of each profile.
func drawPlanned(b *strings.Builder, l terminal.Look, row Row) {
	if row.Planned == nil {
		return
	}
	fmt.Fprintf(b, "\n  %s\n", l.Dim(fmt.Sprintf("%-*s%7s%8s%8s%8s%9s%8s%8s", profileWidth,
		"what it did there", "tokens", "masked", "folded", "changes", "re-reads", "edits",
		"located")))
	for _, p := range row.Planned {
		f := p.Total
		quotes := f.Rereads.All()
		fmt.Fprintf(b, "  %-*s%7s%8s%8s%8s%9s%8s%8s\n", profileWidth,
			cut(terminal.Printable(p.Profile), profileWidth-1), saved(f.Tokens.All.Share()),
			terminal.Grouped(f.Made[plan.Mask]),
			terminal.Grouped(f.Made[plan.Fold]+f.Made[plan.FoldWithModel]),
			terminal.Grouped(f.Changes.Turns), tenths(quotes.All.Lost()),
			tenths(quotes.Edits.Lost()), tenths(f.Recall.Located.Share()))
	}
}

// drawCaptured draws what each strategy captures under each profile.
func (r *Report) drawCaptured(b *strings.Builder, l terminal.Look) {
	const name, width, most = 27, 7, 7
	profiles := r.Profiles[:min(most, len(r.Profiles))]
	for n, head := range []string{"", "captured at p, w, lifetime", ""} {
		line := fmt.Sprintf("%-*s", name, head)
		for _, p := range profiles {
			line += fmt.Sprintf("%*s", width, cut([]string{fmt.Sprint(p.Cached),
				fmt.Sprint(p.Write), p.ShortLifetime()}[n], width-1))
		}
		fmt.Fprintf(b, "  %s\n", l.Dim(strings.TrimRight(line, " ")))
	}
	for _, row := range r.Strategies {
		line := fmt.Sprintf("%-*s", name, cut(row.Name, name-1))
		for i := range profiles {
			captured := tenths(row.Invoices[i].Captured)
			if len(captured) >= width {
				captured = fmt.Sprintf("%.0f%%", 100*row.Invoices[i].Captured)
			}
			line += fmt.Sprintf("%*s", width, captured)
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// drawSimulation draws how far the simulation of doing nothing is off.
func (r *Report) drawSimulation(b *strings.Builder, l terminal.Look) {
	first := r.Strategies[0].Invoices
	if len(first) == 0 || first[0].Simulation == nil {
		return
	}
	fmt.Fprintf(b, "\n  %s\n", l.Strong("the bill of doing nothing, simulated ÷ recorded"))
	for _, v := range first {
		s := v.Simulation
		text := fmt.Sprintf("%.3f, %d of %d within 5%%; worst %s %.3f", s.Share, s.Within, s.Of,
			cut(terminal.Printable(s.Worst.ID), 15), s.Worst.Share)
		fmt.Fprintf(b, "  %-*s %s\n", profileWidth,
			cut(terminal.Printable(v.Profile), profileWidth-1),
			l.Mark(math.Abs(s.Share-1) <= maxDeviation, text))
	}
	for _, c := range r.Conversations {
		if c.IgnoredSkips > 0 {
			fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("%s ignored of %s: the provider read it",
				terminal.Plural(c.IgnoredSkips, "skipped range"),
				cut(terminal.Printable(c.ID), 15))))
		}
	}
}

// drawBills draws the bill of each conversation, by the first setting under the first profile.
func (r *Report) drawBills(b *strings.Builder, l terminal.Look) {
	const name = 28
	fmt.Fprintf(b, "\n  %s\n", l.Dim(fmt.Sprintf("%-*s%8s%8s%10s%14s", name,
		"at "+cut(r.Profiles[0].Name, name-4), "bill", "floor", "captured", "sim/recorded")))
	for i, c := range r.Conversations {
		bill := r.Strategies[0].Conversations[i].Bills[0]
		captured, simulated := "–", "–"
		if share, ok := bill.Captured(); ok {
			captured = tenths(share)
		}
		if bill.Recorded > 0 {
			simulated = fmt.Sprintf("%.3f", bill.Simulated/bill.Recorded)
		}
		fmt.Fprintf(b, "  %-*s%8s%8s%10s%14s\n", name, cut(terminal.Printable(c.ID), name-1),
			tenths(bill.Share()), tenths(bill.FloorShare()), captured, simulated)
	}
}
