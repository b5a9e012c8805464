package bpe

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
		t := tally{engine: e}
		n := t.count(text, limit)
		t.release()
		return n
	}
	return e.countDecoded(text, false, limit)
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

// count counts text, which is valid UTF-8.
func (t *tally) count(text []byte, limit int) int {
	n := 0
	for i := 0; i < len(text) && n <= limit; {
		j := t.split(text, i)
		n += t.piece(text, i, j)
		i = j
	}
	return n
}

// piece returns the number of tokens of the piece text[i:j].
func (t *tally) piece(text []byte, i, j int) int {
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
			if int(t.two[bits.ReverseBytes16(uint16(lo))]) < t.tokens {
				return 1
			}
			return 2
		case 3:
			if t.three.has(uint32(lo)) {
				return 1
			}
		case 4:
			if t.four.has(uint32(lo)) {
				return 1
			}
		default:
			if t.short.has(lo) {
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
		if t.middle.has(lo, hi) {
			return 1
		}
	default:
		return t.long(text[i:j])
	}
	sc := t.scratch()
	at := sc.pieces.place(lo, hi)
	if sc.pieces.keys[at] == [2]uint64{lo, hi} {
		return int(sc.pieces.counts[at])
	}
	n, _ := t.countParts(text[i:j], &sc.merging)
	sc.pieces.keys[at] = [2]uint64{lo, hi}
	sc.pieces.counts[at] = uint8(n)
	return n
}

// long counts a piece too long for the cache.
func (t *tally) long(piece []byte) int {
	if t.whole.has(startKey(piece)) && int(t.length[t.longest(piece)]) == len(piece) {
		return 1
	}
	if n, ok := t.countParts(piece, &t.scratch().merging); ok {
		return n
	}
	if n, ok := t.countLong(piece, t.scratch().back); ok {
		return n
	}
	// Not known to happen: with room for every byte it cannot.
	n, _ := t.countLong(piece, newBacktrack(len(piece)))
	return n
}
