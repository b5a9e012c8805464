package history

import (
	"killick/compactor/layout"
	"killick/transcript"
)

// Which outputs are needed again. The chances are those of recorded coding
// sessions: at a point of a conversation, how many of the outputs that stood so far
// back were quoted by a call in the 40,000 tokens that followed, with no newer
// output to quote from. docs/benchmarks.md has the table and how it was made. Files
// that were read are what agents come back to; what a command printed they run
// again.

// chances of being needed, in thousandths, by how many tokens back an output
// stands: under near, under far, and beyond.
type chances struct{ Near, Middle, Far int }

const (
	nearby  = 8_000
	farAway = 40_000
)

// The chances, by what a call is.
var (
	ChancesOfReads      = chances{Near: 200, Middle: 150, Far: 55}
	ChancesOfSuperseded = chances{Near: 150, Middle: 80, Far: 50}
	ChancesOfOthers     = chances{Near: 25, Middle: 5, Far: 0}
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
func needed(v *layout.View, calls []transcript.Call, stands []transcript.FollowUp) []int {
	chance := make([]int, len(calls))
	end := v.Before[len(v.Messages)]
	for i := range calls {
		c := &calls[i]
		if c.Result < 0 {
			continue
		}
		of := ChancesOfOthers
		switch {
		case stands[i].Resolved:
			of = chances{}
		case c.Effect == transcript.Reads && stands[i].Repeated:
			of = ChancesOfSuperseded
		case c.Effect == transcript.Reads:
			of = ChancesOfReads
		}
		chance[i] = of.at(end - v.Before[c.Result+1])
	}
	return chance
}
