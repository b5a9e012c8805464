package workset

import (
	"slices"

	"killick/summary/quotes"
	"killick/transcript"
)

// Extend returns the pool of the turns before message to: known, the pool of the turns before from
// or nil, with the blocks of the turns [from, to). calls are those made in these turns. It does not
// read the older turns again. room, the tokens of its blocks that can be shown, limits how many it
// holds.
func Extend(
	s *quotes.Source, known *Pool, calls []transcript.Call, from, to, room int,
) *Pool {
	if known == nil {
		known = &Pool{}
	}
	var newer newerLines
	var blocks []Block
	for i := range slices.Backward(calls) {
		c := &calls[i]
		if c.Result >= to {
			continue
		}
		if c.Result >= 0 && !c.MayHaveFailed() {
			output := func() string { return s.SafeOutput(c) }
			for _, src := range slices.Backward(sourcesOf(s, c, nil, output)) {
				blocks = append(blocks, newer.addSource(&src)...)
			}
		}
		newer.addChanges(c, c.Result >= 0)
	}
	blocks = append(blocks, newer.left(known.Blocks)...)
	p := &Pool{Blocks: blocks}
	p.Files, p.Request = uses(s, known, calls, from, to)
	keep := newRanking(s, p, to).order()
	keep = keep[:min(len(keep), maxBlocks, room/leastCost)]
	slices.Sort(keep)
	p.Blocks = make([]Block, len(keep))
	for i, at := range keep {
		p.Blocks[i] = blocks[at]
	}
	return p
}

// uses returns the files of a pool, updated with their uses in the turns [from, to), and the latest
// message of a person.
func uses(
	s *quotes.Source, known *Pool, calls []transcript.Call, from, to int,
) (files []File, request int) {
	t := newFileTable(slices.Clone(known.Files))
	for i := range calls {
		if c := &calls[i]; c.Result < to && !c.MayHaveFailed() {
			t.addCall(c, s.PlaceOf(c.Caller))
		}
	}
	request = known.Request
	for _, i := range s.Persons(from, to) {
		for _, path := range s.PathsIn(i) {
			t.of(path).Asked++
		}
		request = i + 1
	}
	return t.lastUsedFirst(), request
}
