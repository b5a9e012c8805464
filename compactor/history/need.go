package history

import (
	"killick/compactor/layout"
	"killick/transcript"
)

// The chance that an output is needed again was measured on recorded coding sessions: of the
// outputs at a certain distance, the share that a call quoted in the next 40,000 tokens, with no
// newer output that it could quote. docs/benchmarks.md has the table and the method. Agents return
// to files that they read; commands they run again.

// chances are the chances of being needed, in thousandths, for outputs less than nearby tokens ago,
// less than farAway tokens ago, and earlier.
type chances struct{ Near, Middle, Far int }

const (
	nearby  = 8_000
	farAway = 40_000
)

// The chances, by the kind of call.
var (
	ChancesOfReads  = chances{Near: 200, Middle: 150, Far: 55}
	ChancesOfOthers = chances{Near: 25, Middle: 5, Far: 0}
)

func (c chances) at(age int) int {
	switch {
	case age < nearby:
		return c.Near
	case age < farAway:
		return c.Middle
	}
	return c.Far
}

// needed returns, for each call, the chance that its output is needed again, in
// thousandths.
func needed(v *layout.View, calls []transcript.Call) []int {
	chance := make([]int, len(calls))
	end := v.Before[len(v.Messages)]
	for i := range calls {
		c := &calls[i]
		if c.Result < 0 {
			continue
		}
		of := ChancesOfOthers
		if c.Effect == transcript.Reads {
			of = ChancesOfReads
		}
		chance[i] = of.at(end - v.Before[c.Result+1])
	}
	return chance
}
