package tokenizer

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
)

// engine counts the text of one vocabulary under one pattern.
type engine struct {
	*vocab
	split splitter
	idle  scratches
	// fallback counts instead once the self-check has found the engine wrong.
	fallback atomic.Pointer[tiktoken.Tiktoken]
}

// count returns the number of tokens of text, which may be no UTF-8, or any
// number above limit once there are more than that.
func (e *engine) count(text []byte, limit int) int {
	if ref := e.fallback.Load(); ref != nil {
		return countByReference(ref, text, limit)
	}
	if utf8.Valid(text) {
		c := counter{engine: e}
		n := c.count(text, limit)
		c.release()
		return n
	}
	return e.countDecoded(text, false, limit)
}

// counter is the count of one text.
type counter struct {
	*engine
	sc *scratch
}

func (c *counter) scratch() *scratch {
	if c.sc == nil {
		c.sc = c.idle.take()
	}
	return c.sc
}

func (c *counter) release() {
	if c.sc != nil {
		c.idle.give(c.sc)
	}
}

// count counts text, which is valid UTF-8.
func (c *counter) count(text []byte, limit int) int {
	n := 0
	for i := 0; i < len(text) && n <= limit; {
		j := c.split(text, i)
		n += c.piece(text, i, j)
		i = j
	}
	return n
}

// piece returns the number of tokens of the piece text[i:j].
func (c *counter) piece(text []byte, i, j int) int {
	var lo, hi uint64
	switch size := j - i; {
	case size == 1:
		return 1
	case size <= 7:
		if i+8 <= len(text) {
			lo = binary.LittleEndian.Uint64(text[i:])&(1<<(8*size)-1) | uint64(size)<<56
		} else {
			lo, _ = packKey(text[i:j])
		}
		switch size {
		case 2:
			// The bytes of a rune, or two runes: nothing that could merge further.
			if int(c.two[bits.ReverseBytes16(uint16(lo))]) < c.tokens {
				return 1
			}
			return 2
		case 3:
			if c.three.has(uint32(lo)) {
				return 1
			}
		case 4:
			if c.four.has(uint32(lo)) {
				return 1
			}
		default:
			if c.short.has(lo) {
				return 1
			}
		}
	case size <= 15:
		if i+16 <= len(text) {
			lo = binary.LittleEndian.Uint64(text[i:])
			hi = binary.LittleEndian.Uint64(text[i+8:])&(1<<(8*(size-8))-1) | uint64(size)<<56
		} else {
			lo, hi = packKey(text[i:j])
		}
		if c.middle.has(lo, hi) {
			return 1
		}
	default:
		return c.long(text[i:j])
	}
	sc := c.scratch()
	at := sc.pieces.place(lo, hi)
	if sc.pieces.keys[at] == [2]uint64{lo, hi} {
		return int(sc.pieces.counts[at])
	}
	n, _ := c.countParts(text[i:j], &sc.merging)
	sc.pieces.keys[at] = [2]uint64{lo, hi}
	sc.pieces.counts[at] = uint8(n)
	return n
}

// long counts a piece too long for the cache.
func (c *counter) long(piece []byte) int {
	if c.whole.has(startKey(piece)) && int(c.length[c.longest(piece)]) == len(piece) {
		return 1
	}
	if n, ok := c.countParts(piece, &c.scratch().merging); ok {
		return n
	}
	if n, ok := c.countLong(piece, c.scratch().back, &c.scratch().merging); ok {
		return n
	}
	// Not known to happen: with room for every byte it cannot.
	n, _ := c.countLong(piece, newBacktrack(len(piece)), &c.scratch().merging)
	return n
}
