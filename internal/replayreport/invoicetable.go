package replayreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"killick/compactor/plan"
	"killick/internal/terminal"
	"killick/replay/billing"
)

// drawInvoices draws the bills of the first setting, a line for each profile. If there are several
// strategies, it draws what each captures.
func (r *Report) drawInvoices(b *strings.Builder, l terminal.Look) {
	fmt.Fprintf(b, "\n%s\n", l.Wrap("What is saved of the bill without compaction. Plain leaves "+
		"out what the agent would read again; the other figures include it. Once is what would be "+
		"saved if each new token were written once and no message were sent again, with the "+
		"preamble (instructions and tools) read, or written again after idle times. Only text "+
		"that is cut before it is sent can save more. Captured is saved in % of once; median and "+
		"worst are those of conversations. Edits is the same, counting only re-reads of edits, "+
		"which must quote exactly. Grew counts conversations whose bill grew by more than 0.5%.",
		2))
	if len(r.Strategies) > 1 {
		r.drawCaptured(b, l)
	}
	if !r.sweep {
		r.drawProfiles(b, l, r.Strategies[0])
		r.drawParts(b, l, r.Strategies[0])
		r.drawPlanned(b, l, r.Strategies[0])
		r.drawSimulation(b, l)
	}
}

// drawProfiles draws one strategy's bill under each profile.
func (r *Report) drawProfiles(b *strings.Builder, l terminal.Look, row Row) {
	width := r.widthOfProfiles()
	fmt.Fprintf(b, "\n  %s\n", l.Strong(row.Name))
	fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("%-*s%7s%7s%7s%9s%7s%7s%8s%6s", width,
		"prices", "saved", "plain", "once", "captured", "edits", "median", "worst", "grew")))
	for _, v := range row.Invoices {
		shares := []string{tenths(v.Captured), tenths(v.ForEdits), tenths(v.MedianCaptured),
			tenths(v.Worst.Share)}
		if _, ok := v.Bill.Captured(); !ok {
			shares[0], shares[1] = "–", "–"
		}
		if v.Worst.ID == "" {
			shares[2], shares[3] = "–", "–"
		}
		fmt.Fprintf(b, "  %-*s%7s%7s%7s%9s%7s%7s%8s%6s\n", width,
			terminal.Printable(v.Profile), saved(v.Bill.Share()),
			saved(v.Bill.PlainShare()), saved(v.Bill.FloorShare()), shares[0], shares[1],
			shares[2], shares[3], fmt.Sprintf("%d/%d", v.Dearer, row.Total.Conversations))
	}
	drawExtremes(b, l, row.Invoices)
}

// drawExtremes draws the conversation that saves least, and the one with the least share captured.
func drawExtremes(b *strings.Builder, l terminal.Look, all []Invoice) {
	draw := func(what string, e Extreme, share, profile string) {
		fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("%s: %s, %s at %s", what,
			cut(terminal.Printable(e.ID), 28), share, terminal.Printable(profile))))
	}
	dearest := slices.MaxFunc(all, func(a, b Invoice) int {
		return cmp.Compare(a.Dearest.Share, b.Dearest.Share)
	})
	draw("least saved", dearest.Dearest, saved(dearest.Dearest.Share), dearest.Profile)
	savable := slices.DeleteFunc(
		slices.Clone(all),
		func(v Invoice) bool { return v.Worst.ID == "" },
	)
	if len(savable) == 0 {
		return
	}
	worst := slices.MinFunc(savable, func(a, b Invoice) int {
		return cmp.Compare(a.Worst.Share, b.Worst.Share)
	})
	draw("least captured", worst.Worst, tenths(worst.Worst.Share), worst.Profile)
}

// drawPlanned draws the compactions of one setting at the prices of each profile.
func (r *Report) drawPlanned(b *strings.Builder, l terminal.Look, row Row) {
	if row.Planned == nil {
		return
	}
	width := r.widthOfProfiles()
	fmt.Fprintf(b, "\n  %s\n", l.Dim(fmt.Sprintf("%-*s%7s%8s%8s%8s%9s%8s%8s", width,
		"compactions", "tokens", "masked", "folded", "changes", "re-reads", "edits",
		"located")))
	for _, p := range row.Planned {
		f := p.Total
		quotes := f.Rereads.All()
		fmt.Fprintf(b, "  %-*s%7s%8s%8s%8s%9s%8s%8s\n", width,
			terminal.Printable(p.Profile), saved(f.Tokens.All.Share()),
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
	for n, head := range []string{"", "captured at p, w, lifetime", "", "out", "match", "min",
		"cliff"} {
		line, differ := fmt.Sprintf("%-*s", name, head), n < 3
		for i := range profiles {
			value := columnHead(&profiles[i], n)
			differ = differ || value != columnHead(&profiles[0], n)
			line += fmt.Sprintf("%*s", width, cut(value, width-1))
		}
		if differ {
			fmt.Fprintf(b, "  %s\n", l.Dim(strings.TrimRight(line, " ")))
		}
	}
	for _, row := range r.Strategies {
		line := fmt.Sprintf("%-*s", name, cut(row.Name, name-1))
		for i := range profiles {
			captured := tenths(row.Invoices[i].Captured)
			if len(captured) >= width {
				captured = fmt.Sprintf("%.0f%%", 100*row.Invoices[i].Captured)
			}
			if _, ok := row.Invoices[i].Bill.Captured(); !ok {
				captured = "–"
			}
			line += fmt.Sprintf("%*s", width, captured)
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// columnHead returns one line of what is above the column of a profile.
func columnHead(p *billing.Profile, line int) string {
	cliff := "–"
	if p.Cliff.Above > 0 {
		cliff = fmt.Sprintf("%dkx%g", p.Cliff.Above/1000, p.Cliff.Factor)
	}
	return []string{fmt.Sprint(p.Cached), fmt.Sprint(p.Write), p.ShortLifetime(),
		fmt.Sprint(p.Output), string(p.Match), fmt.Sprint(p.Minimum), cliff}[line]
}

// drawSimulation draws the deviation of the simulated bills from the recorded bills.
func (r *Report) drawSimulation(b *strings.Builder, l terminal.Look) {
	first := r.Strategies[0].Invoices
	if len(first) == 0 || first[0].Simulation == nil {
		return
	}
	fmt.Fprintf(b, "\n  %s\n", l.Strong("the bill without compaction, simulated ÷ recorded"))
	for _, v := range first {
		s := v.Simulation
		text := fmt.Sprintf("%.3f, %d of %d within 5%%; worst %s %.3f", s.Share, s.Within, s.Of,
			cut(terminal.Printable(s.Worst.ID), 15), s.Worst.Share)
		fmt.Fprintf(b, "  %-*s %s\n", r.widthOfProfiles(), terminal.Printable(v.Profile),
			l.Mark(math.Abs(s.Share-1) <= maxDeviation, text))
	}
	for _, c := range r.Conversations {
		if c.IgnoredSkips > 0 {
			fmt.Fprintf(b, "  %s\n", l.Dim(fmt.Sprintf("%s: ignored %s that the provider read",
				cut(terminal.Printable(c.ID), 15),
				terminal.Plural(c.IgnoredSkips, "skipped range"))))
		}
	}
}

// drawBills draws the bill of each conversation for the first setting and the first profile.
func (r *Report) drawBills(b *strings.Builder, l terminal.Look) {
	const name = 28
	at := "at " + cut(terminal.Printable(r.Profiles[0].Name), name-4)
	fmt.Fprintf(b, "\n  %s\n", l.Dim(fmt.Sprintf("%-*s%8s%8s%10s%14s", name, at, "saved", "once",
		"captured", "sim/recorded")))
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
			saved(bill.Share()), saved(bill.FloorShare()), captured, simulated)
	}
}
