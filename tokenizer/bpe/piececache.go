package bpe

import (
	"math/rand/v2"
	"runtime"
	"sync"
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

// scratches keeps as many as processors can use at once, and two for who waits for
// one, of 0.9 MB each; more are made for the moment and dropped. The one that was used
// last is taken first: most of it is in a processor's cache.
type scratches struct {
	mu   sync.Mutex
	idle []*scratch
	most int
}

func newScratches() *scratches { return &scratches{most: runtime.GOMAXPROCS(0) + 2} }

func (s *scratches) take() *scratch {
	if sc := s.last(); sc != nil {
		return sc
	}
	return &scratch{
		pieces:  pieceCache{seed: rand.Uint64()},
		back:    newBacktrack(backWindow),
		decoded: make([]byte, 0, decodedSize),
	}
}

// last takes the one that was used last, nil if all are in use.
func (s *scratches) last() *scratch {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	if last < 0 {
		return nil
	}
	sc := s.idle[last]
	s.idle = s.idle[:last]
	return sc
}

func (s *scratches) give(sc *scratch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) < s.most {
		s.idle = append(s.idle, sc)
	}
}

// pieceCache remembers how many tokens pieces of up to 31 bytes have, whether or
// not they are one: there are a few places for each, of a fixed number. One that is
// found moves a place to the front, and the last one makes room, but not for a
// piece that is a token: the sets of the vocabulary say so nearly as fast. The cache is
// asked before the tables of the vocabulary, which are too large for the nearer
// caches of a processor. The whole piece is compared. Places are seeded, so that
// nobody can make texts whose pieces push one another out.
//
// An entry is the bytes of a piece, and in its upper byte the count above the
// size, the size modulo 16. An entry of no tokens is empty.
type pieceCache struct {
	seed   uint64
	short  [1 << 13]uint64       // of up to 7 bytes
	middle [1 << 12][4][2]uint64 // of up to 15
	long   [1 << 13][2][4]uint64 // of up to 31
}

const (
	countShift = 60
	// maxCached is the largest count that fits an entry.
	maxCached = 1<<(64-countShift) - 1
	keyBits   = 1<<countShift - 1
)

func (c *pieceCache) ofShort(key uint64) *uint64 {
	return &c.short[longHash(key, c.seed)%uint64(len(c.short))]
}

func (c *pieceCache) ofMiddle(key *[2]uint64) *[4][2]uint64 {
	return &c.middle[longHash(key[0]^c.seed, key[1])%uint64(len(c.middle))]
}

func (c *pieceCache) ofLong(key *[4]uint64) *[2][4]uint64 {
	return &c.long[longHash(longHash(key[0]^c.seed, key[1])^key[2], key[3])%uint64(len(c.long))]
}
