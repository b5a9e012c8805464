package replayreport

import (
	"cmp"
	"math"
	"slices"

	"killick/replay/billing"
)

const (
	maxOfRaw     = 1.005 // of the raw bill; a dearer conversation is counted
	maxDeviation = 0.05  // of the simulated bill from the recorded one
)

// invoices sums up a row's bills. The row must have its total and its conversations.
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
			if s.Share > maxOfRaw {
				v.Dearer++
			}
		}
		if len(simulated) > 0 {
			v.Simulation = simulationOf(b, simulated)
		}
		all = append(all, v)
	}
	return all
}

func simulationOf(total billing.Bill, all []Extreme) *Simulation {
	off := func(e Extreme) float64 { return math.Abs(e.Share - 1) }
	s := &Simulation{Share: total.Simulated / total.Recorded, Of: len(all),
		Worst: slices.MaxFunc(all, func(a, b Extreme) int { return cmp.Compare(off(a), off(b)) })}
	for _, e := range all {
		if off(e) <= maxDeviation {
			s.Within++
		}
	}
	return s
}
