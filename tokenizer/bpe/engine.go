package bpe

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pkoukk/tiktoken-go"
)

// engine counts the text of one vocabulary under one pattern.
type engine struct {
	*vocab
	split splitter
	idle  *scratches
	// fallback counts instead if the self-check found the engine wrong.
	fallback atomic.Pointer[tiktoken.Tiktoken]
}

// tally is the count of one text.
type tally struct {
	*engine
	sc *scratch
}

func (t *tally) scratch() *scratch {
	if t.sc == nil {
		t.sc = t.idle.take()
	}
	return t.sc
}

func (t *tally) release() {
	if t.sc != nil {
		t.idle.give(t.sc)
	}
}

// scratch is the memory for counting one text. It is used for one text at a time.
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

// scratches keeps one scratch of 0.9 MB per processor, and two more. If more are needed, they are
// made and dropped again. The one that was used last is taken first, since most of it is in a
// processor's cache.
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

// pieceCache remembers how many tokens pieces of up to 31 bytes have. It is a set-associative cache
// of a fixed size: an entry that is found moves one place to the front, and the last one is
// replaced. Pieces that are one token replace nothing, since the sets of the vocabulary find them
// nearly as fast. The cache is read before the tables of the vocabulary, which are too large for
// the nearer caches of a processor. The whole piece is compared. Places are seeded, so that nobody
// can construct texts whose pieces evict one another.
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
