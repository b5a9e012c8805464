package workset

import (
	"slices"

	"killick/summary"
	"killick/transcript"
)

// Rest is what stands behind the folded turns when lines of them are chosen.
type Rest struct {
	From, To int               // its messages
	Calls    []transcript.Call // made in them
	// Sent returns the output that is sent of a call, without credentials; "" if its content is
	// hidden.
	Sent func(c *transcript.Call) string
}

// Choose returns the blocks that are most likely to be needed, in at most so many tokens, as far as
// these can be estimated: none that the rest shows again or has changed.
func (p *Pool) Choose(s *summary.Source, rest *Rest, tokens int) (chosen []Block) {
	if len(p.Blocks) == 0 {
		return nil
	}
	var newer newerLines
	for i := range slices.Backward(rest.Calls) {
		c := &rest.Calls[i]
		if c.Result >= rest.To {
			continue
		}
		var output func() string
		if c.Result >= 0 {
			output = func() string { return rest.Sent(c) }
		}
		if !c.Failed() {
			for _, src := range slices.Backward(sourcesOf(s, c, output)) {
				newer.addSource(&src)
			}
		}
		newer.addChanges(c, c.Result >= 0)
	}
	now := &Pool{Blocks: newer.left(p.Blocks)}
	if len(now.Blocks) == 0 {
		return nil
	}
	now.Files, now.Request = uses(s, p, rest.Calls, rest.From, rest.To)
	for _, i := range newRanking(s, now, rest.To).order() {
		if n := now.Blocks[i].cost(); n <= tokens {
			tokens -= n
			chosen = append(chosen, now.Blocks[i])
		}
		if tokens < leastRoom {
			break
		}
	}
	return withoutShown(chosen)
}

// leastRoom is the room in tokens below which no more blocks are looked for.
const leastRoom = 50
