package rawjson

import (
	"encoding/binary"
	"math/bits"
)

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
	blockLen  = 64 // bytes that are classified at once
)

// skipString returns the offset just past the string whose opening quote is at i. It reads the
// beginning eight bytes at a time, and the rest of a long string in blocks.
func skipString(b []byte, i int) (int, error) {
	i++
	for blocks := i + blockLen/2; ; {
		if i >= blocks {
			var end bool
			var err error
			if i, end, err = skipBlocks(b, i); end || err != nil {
				return i, err
			}
			blocks = len(b)
		}
		for i+8 <= len(b) && i < blocks {
			if m := stops(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			return i, ErrSyntax
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				return i, ErrSyntax
			}
			i += n
		case c < 0x20:
			return i, ErrSyntax
		default:
			i++
		}
	}
}

// skipBlocks advances within a string by whole blocks while any are left. end reports whether it
// passed the closing quote.
func skipBlocks(b []byte, i int) (next int, end bool, err error) {
next:
	for i+blockLen < len(b) {
		for m := stopsIn((*[blockLen]byte)(b[i:])); m != 0; m &= m - 1 {
			at := i + bits.TrailingZeros64(m)
			switch c := b[at]; {
			case c == '\\':
				if !shortEscapes[b[at+1]] {
					n := escapeLen(b[at:])
					if n == 0 {
						return at, false, ErrSyntax
					}
					i = at + n
					continue next
				}
				if at == i+blockLen-1 { // the escape ends in the next block
					i++
				} else {
					m &^= 2 << (at - i)
				}
			case c == '"':
				return at + 1, true, nil
			case c < 0x20:
				return at, false, ErrSyntax
			}
		}
		i += blockLen
	}
	return i, false, nil
}

// shortEscapes are the bytes that follow the backslash in escapes of two bytes.
var shortEscapes = [256]bool{
	'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true,
}

// stopsIn returns the marks of stops for a whole block, one bit for each byte.
func stopsIn(block *[blockLen]byte) uint64 {
	return gather(stops(binary.LittleEndian.Uint64(block[0:]))) |
		gather(stops(binary.LittleEndian.Uint64(block[8:])))<<8 |
		gather(stops(binary.LittleEndian.Uint64(block[16:])))<<16 |
		gather(stops(binary.LittleEndian.Uint64(block[24:])))<<24 |
		gather(stops(binary.LittleEndian.Uint64(block[32:])))<<32 |
		gather(stops(binary.LittleEndian.Uint64(block[40:])))<<40 |
		gather(stops(binary.LittleEndian.Uint64(block[48:])))<<48 |
		gather(stops(binary.LittleEndian.Uint64(block[56:])))<<56
}

// gather packs the high bits of the eight bytes of w into one byte, the first byte's lowest.
func gather(w uint64) uint64 { return w >> 7 * 0x0102040810204080 >> 56 }

// stops marks, by the high bit of each byte, the bytes of w that end a plain run of a JSON string:
// the quote, the backslash and control characters. It misses none. Only the lowest mark is certain:
// a borrow may set a mark above a true one, so callers examine each byte that is marked. The tests
// are the classic "has zero byte" and "has byte less than n" of Bit Twiddling Hacks.
func stops(w uint64) uint64 {
	quote := w ^ everyByte*'"'
	slash := w ^ everyByte*'\\'
	return ((quote-everyByte)&^quote | (slash-everyByte)&^slash | (w-everyByte*0x20)&^w) & highBits
}

// escapeLen returns the length of the JSON escape at the start of b, 0 if there is no valid one.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 || hex4(b[2:]) < 0 {
			return 0
		}
		return 6
	}
	return 0
}

// hex4 reads four hexadecimal digits; it returns -1 for anything else.
func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
