package bpe

import (
	"math/rand/v2"
	"runtime"
)

// scratch is what counting one text needs beside the vocabulary. A text holds
// one for as long as it is counted, so nothing in it is shared.
type scratch struct {
	pieces  pieceCache
	merging merging
	back    *backtrack
	decoded []byte
}

const (
	backWindow  = 1 << 10
	decodedSize = 1 << 15
)

// scratches keeps as many as can be in use at once; more are made for the
// moment and dropped.
type scratches chan *scratch

func newScratches() scratches { return make(scratches, 2*runtime.GOMAXPROCS(0)+2) }

func (s scratches) take() *scratch {
	select {
	case sc := <-s:
		return sc
	default:
		return &scratch{
			pieces:  pieceCache{seed: rand.Uint64()},
			back:    newBacktrack(backWindow),
			decoded: make([]byte, 0, decodedSize),
		}
	}
}

func (s scratches) give(sc *scratch) {
	select {
	case s <- sc:
	default:
	}
}

// pieceCache remembers how many tokens pieces have that are none themselves: a
// place for each, of a fixed number, the last one stays. The whole piece is
// compared. The place is seeded, so that nobody can make texts whose pieces
// push one another out.
type pieceCache struct {
	seed   uint64
	keys   [1 << 12][2]uint64
	counts [1 << 12]uint8
}

func (c *pieceCache) place(lo, hi uint64) uint64 {
	return longHash(lo^c.seed, hi) % uint64(len(c.keys))
}
