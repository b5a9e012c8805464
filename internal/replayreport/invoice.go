package replayreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"killick/internal/terminal"
	"killick/replay"
)

// Invoice is a strategy's bill under one profile, and what single conversations came to.
type Invoice struct {
	Profile  string      `json:"profile"`
	Bill     replay.Bill `json:"bill"`
	Captured float64     `json:"captured"` // of what could be saved, re-reads included
	// of the conversations in which something could be saved
	MedianCaptured float64 `json:"median_captured"`
	Worst          Extreme `json:"worst_captured"`
	// conversations that came to more than mostOfRaw of doing nothing, and the dearest of all
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
	Within int     `json:"within"` // conversations within mostOff
	Worst  Extreme `json:"worst"`
}

// What the issue of the measure asks for.
const (
	mostOfRaw = 1.005
	mostOff   = 0.05
)

// invoices sums up a row's bills; the row has its total and its conversations.
func (r *Report) invoices(row Row) (all []Invoice) {
	for i, b := range row.Total.Bills {
		v := Invoice{Profile: b.Profile.Name, Bill: b}
		v.Captured, _ = b.Captured()
		var captured, shares, simulated []Extreme
		for n, f := range row.Conversations {
			c := r.Conversations[n]
			if r.Half != "all" && c.Half != r.Half {
				continue
			}
			one := f.Bills[i]
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
			v.Dearer += btoi(s.Share > mostOfRaw)
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
		s.Within += btoi(off(e) <= mostOff)
	}
	return s
}

// drawInvoices draws the bills of each strategy, a line for each profile.
func (r *Report) drawInvoices(b *strings.Builder, l terminal.Look) {
	const name = 18
	fmt.Fprintf(b, "\n%s\n", l.Wrap("Bills in % of doing nothing, with re-reads; captured is the "+
		"share of what could be saved at all (the floor: new tokens written once, the standing "+
		"part and rests paid).", 2))
	for _, row := range r.Strategies {
		fmt.Fprintf(b, "\n  %s\n", l.Strong(row.Name))
		fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("%-*s%7s%8s%7s%10s%8s%8s%9s", name, "prices",
			"bill", "plain", "floor", "captured", "median", "worst", "> 100.5%")))
		for _, v := range row.Invoices {
			fmt.Fprintf(b, "  %-*s%7s%8s%7s%10s%8s%8s%5d of %d\n", name, cut(v.Profile, name-1),
				tenths(v.Bill.Share()), tenths(v.Bill.PlainShare()), tenths(v.Bill.FloorShare()),
				tenths(v.Captured), tenths(v.MedianCaptured), tenths(v.Worst.Share), v.Dearer,
				row.Total.Conversations)
		}
		worst := slices.MaxFunc(row.Invoices, func(a, b Invoice) int {
			return cmp.Compare(a.Dearest.Share, b.Dearest.Share)
		})
		fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("dearest: %s, %s at %s",
			cut(terminal.Printable(worst.Dearest.ID), 40), tenths(worst.Dearest.Share),
			worst.Profile)))
	}
	r.drawSimulation(b, l)
}

// drawSimulation says how far the simulation of doing nothing is off.
func (r *Report) drawSimulation(b *strings.Builder, l terminal.Look) {
	if len(r.Strategies[0].Invoices) == 0 || r.Strategies[0].Invoices[0].Simulation == nil {
		return
	}
	fmt.Fprintf(b, "\n  %s\n", l.Strong("doing nothing, simulated ÷ recorded"))
	for _, v := range r.Strategies[0].Invoices {
		s := v.Simulation
		line := fmt.Sprintf("  %-18s%7.3f   %d of %d within 5%%, worst %s %.3f", v.Profile, s.Share,
			s.Within, s.Of, cut(terminal.Printable(s.Worst.ID), 16), s.Worst.Share)
		fmt.Fprintln(b, l.Mark(math.Abs(s.Share-1) <= mostOff, line))
	}
}
