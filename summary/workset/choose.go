package workset

import (
	"slices"

	"killick/summary/quotes"
	"killick/transcript"
)

// Unfolded are the turns after the folded ones, which are still sent.
type Unfolded struct {
	From, To int               // the messages [From, To)
	Calls    []transcript.Call // made in these messages
	// Sent returns the output of a call as it is sent, without credentials; "" if it is masked.
	Sent func(c *transcript.Call) string
}

// Choose returns the blocks that are most likely to be needed, in about this number of tokens at
// most. It leaves out lines that the unfolded turns show again or have changed.
func (p *Pool) Choose(s *quotes.Source, after *Unfolded, tokens int) (chosen []Block) {
	if len(p.Blocks) == 0 {
		return nil
	}
	var newer newerLines
	for i := range slices.Backward(after.Calls) {
		if c := &after.Calls[i]; c.Result < after.To {
			newer.addChanges(c, c.Result >= 0)
		}
	}
	names := namesOf(p.Blocks)
	for i := range slices.Backward(after.Calls) {
		c := &after.Calls[i]
		if c.Result >= after.To || c.MayHaveFailed() {
			continue
		}
		var output func() string
		if c.Result >= 0 {
			output = func() string { return after.Sent(c) }
		}
		for _, src := range slices.Backward(sourcesOf(s, c, names, output)) {
			newer.addLines(&src)
		}
	}
	now := &Pool{Blocks: newer.left(p.Blocks)}
	if len(now.Blocks) == 0 {
		return nil
	}
	now.Files, now.Request = uses(s, p, after.Calls, after.From, after.To)
	for _, i := range newRanking(s, now, after.To).order() {
		if n := now.Blocks[i].cost(); n <= tokens {
			tokens -= n
			chosen = append(chosen, now.Blocks[i])
		}
		if tokens < leastRoom {
			break
		}
	}
	return chosen
}

// leastRoom is the remaining room, in tokens, below which the search for blocks ends.
const leastRoom = 50
