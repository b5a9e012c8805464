package bpe

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// count returns the number of tokens of text, which need not be UTF-8.
func (e *engine) count(text []byte) int {
	if ref := e.fallback.Load(); ref != nil {
		return countByReference(ref, text)
	}
	if valid(text) {
		t := tally{engine: e}
		n := t.count(text)
		t.release()
		return n
	}
	return e.countDecoded(text, false)
}

// countJSON counts the body of a JSON string.
func (e *engine) countJSON(body []byte) int {
	if bytes.IndexByte(body, '\\') < 0 {
		return e.count(body)
	}
	if e.fallback.Load() != nil {
		text, _ := unescapeInto(make([]byte, 0, 3*len(body)+utf8.UTFMax), body, true)
		return e.count(text)
	}
	return e.countDecoded(body, true)
}

// countDecoded counts text of which bytes that are not UTF-8, and escapes where it has them, must
// be replaced first. It does so a buffer at a time, cut where no piece can reach across.
func (e *engine) countDecoded(src []byte, escaped bool) int {
	t := tally{engine: e}
	sc := t.scratch()
	defer t.release()
	buf := sc.decoded[:0]
	n := 0
	for len(src) > 0 {
		buf, src = unescapeInto(buf, src, escaped)
		end := len(buf)
		if len(src) > 0 {
			if end = lastCut(buf); end == 0 {
				buf = append(make([]byte, 0, 2*cap(buf)), buf...)
				continue
			}
		}
		n += t.count(buf[:end])
		buf = buf[:copy(buf, buf[end:])]
	}
	return n
}

// count counts text, which is valid UTF-8.
func (t *tally) count(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		j := t.split(text, i)
		n += t.piece(text, i, j)
		i = j
	}
	return n
}

// piece returns the number of tokens of the piece text[i:j].
func (t *tally) piece(text []byte, i, j int) int {
	switch size := j - i; {
	case size == 1:
		return 1
	case size == 2:
		return t.countTwo(text[i:j])
	case size <= 7:
		return t.shortPiece(text, i, j)
	case size <= 15:
		return t.middlePiece(text, i, j)
	case size <= 31:
		return t.longPiece(text, i, j)
	}
	return t.countLonger(text[i:j])
}

// shortPiece counts a piece of 3 to 7 bytes.
func (t *tally) shortPiece(text []byte, i, j int) (n int) {
	var key uint64
	size := j - i
	if i+8 <= len(text) {
		key = binary.LittleEndian.Uint64(text[i:])&(1<<(8*size)-1) | uint64(size)<<56
	} else {
		key, _ = packKey(text[i:j])
	}
	if size == 3 {
		if t.three.has(uint32(key)) {
			return 1
		}
		return t.countThree(text[i:j])
	}
	entry := t.scratch().pieces.ofShort(key)
	if *entry&keyBits == key && *entry != key {
		return int(*entry >> countShift)
	}
	switch {
	case size == 4 && t.four.has(uint32(key)), size > 4 && t.short.has(key):
		n = 1
	case size == 4:
		n = t.countFour(text[i:j])
	default:
		n = t.countMixed(text[i:j], key&wideBytes != 0)
	}
	if n > 1 || *entry>>countShift <= 1 {
		*entry = key | uint64(n)<<countShift
	}
	return n
}

// middlePiece counts a piece of 8 to 15 bytes.
func (t *tally) middlePiece(text []byte, i, j int) (n int) {
	var key [2]uint64
	if size := j - i; i+16 <= len(text) {
		key[0] = binary.LittleEndian.Uint64(text[i:])
		key[1] = binary.LittleEndian.Uint64(text[i+8:])&(1<<(8*(size-8))-1) | uint64(size)<<56
	} else {
		key[0], key[1] = packKey(text[i:j])
	}
	set := t.scratch().pieces.ofMiddle(&key)
	for k := range set {
		entry := &set[k]
		if entry[0] == key[0] && entry[1]&keyBits == key[1] && entry[1] != key[1] {
			n := int(entry[1] >> countShift)
			if k > 0 {
				set[k], set[k-1] = set[k-1], set[k]
			}
			return n
		}
	}
	if n = 1; !t.middle.has(key[0], key[1]) {
		n = t.countMixed(text[i:j], (key[0]|key[1])&wideBytes != 0)
	}
	if last := len(set) - 1; n > 1 || set[last][1]>>countShift <= 1 {
		copy(set[1:], set[:last])
		set[0] = [2]uint64{key[0], key[1] | uint64(n)<<countShift}
	}
	return n
}

// longPiece counts a piece of 16 to 31 bytes.
func (t *tally) longPiece(text []byte, i, j int) (n int) {
	if text[i+1] >= 0xE3 {
		// Chinese, Japanese, Korean: such pieces hardly ever repeat.
		return t.countLonger(text[i:j])
	}
	key := packLong(text, i, j)
	set := t.scratch().pieces.ofLong(&key)
	for k := range set {
		entry := &set[k]
		if entry[0] == key[0] && entry[1] == key[1] && entry[2] == key[2] &&
			entry[3]&keyBits == key[3] && entry[3] != key[3] {
			n := int(entry[3] >> countShift)
			if k > 0 {
				set[k], set[k-1] = set[k-1], set[k]
			}
			return n
		}
	}
	n = t.countLonger(text[i:j])
	if last := len(set) - 1; n <= maxCached && (n > 1 || set[last][3]>>countShift <= 1) {
		copy(set[1:], set[:last])
		set[0] = key
		set[0][3] |= uint64(n) << countShift
	}
	return n
}

// countMixed counts a piece that is not a token. wide says whether it holds runes
// of several bytes.
func (t *tally) countMixed(piece []byte, wide bool) int {
	if wide {
		return t.countRunes(piece)
	}
	n, _ := t.countParts(piece, &t.sc.merging)
	return n
}

// countLonger counts a piece of more than 15 bytes.
func (t *tally) countLonger(piece []byte) int {
	t.scratch()
	if t.whole.has(piece) {
		return 1
	}
	if isWide(piece) {
		return t.countRunes(piece)
	}
	return t.countMerging(piece)
}

// isWide reports whether a piece of 8 bytes and more holds runes of several bytes.
func isWide(piece []byte) bool {
	w := binary.LittleEndian.Uint64(piece[len(piece)-8:])
	for i := 0; i+8 <= len(piece); i += 8 {
		w |= binary.LittleEndian.Uint64(piece[i:])
	}
	return w&wideBytes != 0
}
