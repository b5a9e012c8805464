package compactor

import "killick/transcript"

// Which outputs are needed again. The chances are those of recorded coding
// sessions: at a point of a conversation, how many of the outputs that stood so far
// back were quoted by a call in the 40,000 tokens that followed, with no newer
// output to quote from. docs/benchmarks.md has the table and how it was made. Files
// that were read are what agents come back to; what a command printed they run
// again.

// chances of being needed, in thousandths, by how many tokens back an output
// stands: under near, under far, and beyond.
type chances struct{ near, middle, far int }

const (
	nearby  = 8_000
	farAway = 40_000
)

var (
	chancesOfReads      = chances{near: 200, middle: 150, far: 55}
	chancesOfSuperseded = chances{near: 150, middle: 80, far: 50}
	chancesOfOthers     = chances{near: 25, middle: 5, far: 0}
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
func needed(v *view, calls []transcript.Call, stands []transcript.Standing) []int {
	chance := make([]int, len(calls))
	end := v.before[len(v.msgs)]
	for i := range calls {
		c := &calls[i]
		if c.Result < 0 {
			continue
		}
		of := chancesOfOthers
		switch {
		case stands[i].Resolved:
			of = chances{}
		case c.Effect == transcript.Reads && stands[i].Repeated:
			of = chancesOfSuperseded
		case c.Effect == transcript.Reads:
			of = chancesOfReads
		}
		chance[i] = of.at(end - v.before[c.Result+1])
	}
	return chance
}
