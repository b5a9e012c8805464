package workset

import (
	"slices"

	"killick/summary"
	"killick/transcript"
)

// Rest is what stands behind the folded turns when a working set is chosen.
type Rest struct {
	From, To int               // its messages
	Calls    []transcript.Call // made in them
	// Sent returns the text that is sent of message i. ok is false if its content is hidden.
	Sent func(i int) (text string, ok bool)
}

// Choose returns the blocks that are most likely to be needed, in at most so many tokens: none that
// the rest shows again or has changed.
func (p *Pool) Choose(s *summary.Source, rest *Rest, tokens int) (chosen []Block) {
	files := newFileTable(p.Files)
	newer := newerLines{}
	for i := range slices.Backward(rest.Calls) {
		c := &rest.Calls[i]
		if c.Failed() || c.Result >= rest.To {
			continue
		}
		text, sent := "", false
		if c.Result >= 0 {
			text, sent = rest.Sent(c.Result)
		}
		for _, src := range slices.Backward(sourcesOf(s, c, text)) {
			if sent || src.Kind == Written {
				newer.add(&src, nil)
			}
		}
		newer.delete(c)
	}
	for i := range rest.Calls {
		if c := &rest.Calls[i]; !c.Failed() {
			files.note(c, s.Before(c.Caller))
		}
	}
	now := &Pool{Blocks: newer.left(p.Blocks, nil), Files: files.files}
	r := now.ranking(s, rest.To)
	for _, i := range r.order() {
		b := &now.Blocks[i]
		if n := cost(b) + labelCost; n <= tokens {
			tokens -= n
			chosen = append(chosen, *b)
		}
		if tokens < leastRoom {
			break
		}
	}
	return chosen
}

const (
	labelCost = 12 // tokens of what stands above a block
	leastRoom = 50 // tokens of the smallest block worth looking for
)
