package history

import (
	"killick/compactor/layout"
	"killick/transcript"
)

// The chance that an output is needed again was measured on recorded coding sessions: of the
// outputs at a certain distance, the share that a call quoted in the next 40,000 tokens, with no
// newer output that it could quote. docs/tuning.md has the table and the method. Agents return
// to files that they read; commands they run again.

// chances are the chances of being needed, in thousandths, for outputs less than nearby tokens ago,
// less than farAway tokens ago, and earlier.
type chances struct{ near, middle, far int }

const (
	nearby  = 8_000
	farAway = 40_000
)

// The chances, by the kind of call.
var (
	chancesOfReads  = chances{near: 200, middle: 150, far: 55}
	chancesOfOthers = chances{near: 25, middle: 5, far: 0}
)

func (c chances) at(age int) int {
	switch {
	case age < nearby:
		return c.near
	case age < farAway:
		return c.middle
	}
	return c.far
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
		of := chancesOfOthers
		if c.Effect == transcript.Reads {
			of = chancesOfReads
		}
		chance[i] = of.at(end - v.Before[c.Result+1])
	}
	return chance
}
