// Package packed writes values one after the other, and reads them back: numbers as varints, texts
// with their length before them. Neither names nor types are written, so the reader must know the
// exact format, including its version.
//
// Reads do not return errors: from the first missing value on, every value is zero, and
// [Reader.Err] reports it. Reading allocates at most a small multiple of the input, whatever
// lengths the input claims.
package packed

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"
)

// Writer appends values to what it holds. The zero Writer is ready.
type Writer []byte

// Int appends a number.
func (w *Writer) Int(n int) { *w = binary.AppendVarint(*w, int64(n)) }

// Int64 appends a number.
func (w *Writer) Int64(n int64) { *w = binary.AppendVarint(*w, n) }

// Float appends a number.
func (w *Writer) Float(f float64) { *w = binary.LittleEndian.AppendUint64(*w, math.Float64bits(f)) }

// Byte appends a byte.
func (w *Writer) Byte(b byte) { *w = append(*w, b) }

// Bool appends a boolean.
func (w *Writer) Bool(b bool) {
	if b {
		*w = append(*w, 1)
	} else {
		*w = append(*w, 0)
	}
}

// Len appends the length of a list whose items follow. Nil and empty lists are told apart.
func (w *Writer) Len(n int, isNil bool) {
	if isNil {
		n = -1
	}
	*w = binary.AppendUvarint(*w, uint64(n+1))
}

// Bytes appends bytes. Nil and empty slices are told apart.
func (w *Writer) Bytes(b []byte) {
	w.Len(len(b), b == nil)
	*w = append(*w, b...)
}

// Section appends what add writes, as one value that [Reader.Section] reads.
func (w *Writer) Section(add func(w *Writer)) {
	from := len(*w)
	add(w)
	size := len(*w) - from
	w.Len(size, false) // moved before the section
	var length [binary.MaxVarintLen64]byte
	n := copy(length[:], (*w)[from+size:])
	copy((*w)[from+n:], (*w)[from:from+size])
	copy((*w)[from:], length[:n])
}

// Text appends a text.
func (w *Writer) Text(s string) {
	w.Len(len(s), false)
	*w = append(*w, s...)
}

// ErrDamaged reports that the input is not what a Writer wrote.
var ErrDamaged = errors.New("damaged values")

// AppendList appends a list, each element as add writes it. [List] reads it back.
func AppendList[T any](w *Writer, list []T, add func(*Writer, *T)) {
	w.Len(len(list), list == nil)
	for i := range list {
		add(w, &list[i])
	}
}

// Reader reads what a Writer wrote, in the same order.
type Reader struct {
	from    []byte
	at      int
	damaged bool
}

// NewReader reads from bytes that must not change any more.
func NewReader(from []byte) *Reader { return &Reader{from: from} }

// Err returns ErrDamaged if a value could not be read.
func (r *Reader) Err() error {
	if r.damaged {
		return ErrDamaged
	}
	return nil
}

// End returns ErrDamaged if a value could not be read, or if something is left.
func (r *Reader) End() error {
	if r.at != len(r.from) {
		r.fail()
	}
	return r.Err()
}

// More reports whether something is left to be read.
func (r *Reader) More() bool { return r.at < len(r.from) }

// fail makes all further reads return zero.
func (r *Reader) fail() { r.damaged, r.at = true, len(r.from) }

// Int64 reads a number.
func (r *Reader) Int64() int64 {
	n, size := binary.Varint(r.from[r.at:])
	if size <= 0 {
		r.fail()
		return 0
	}
	r.at += size
	return n
}

// Int reads a number.
func (r *Reader) Int() int {
	n := r.Int64()
	if int64(int(n)) != n {
		r.fail()
		return 0
	}
	return int(n)
}

// Float reads a number. A NaN is damage: nothing is measured or counted as one.
func (r *Reader) Float() float64 {
	if len(r.from)-r.at < 8 {
		r.fail()
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(r.from[r.at:]))
	if math.IsNaN(f) {
		r.fail()
		return 0
	}
	r.at += 8
	return f
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if r.at == len(r.from) {
		r.fail()
		return 0
	}
	r.at++
	return r.from[r.at-1]
}

// Bool reads a boolean.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.fail()
	}
	return b == 1
}

// Len reads the length of a list whose items take at least one byte each, so a length above the
// number of remaining bytes is damage. isNil reports that the list was nil.
func (r *Reader) Len() (n int, isNil bool) {
	v, size := binary.Uvarint(r.from[r.at:])
	if size <= 0 || v > uint64(len(r.from)-r.at-size)+1 {
		r.fail()
		return 0, true
	}
	r.at += size
	if v == 0 {
		return 0, true
	}
	return int(v - 1), false
}

// Bytes reads bytes. They are part of what is read, and must not be changed.
func (r *Reader) Bytes() []byte {
	n, isNil := r.Len()
	if isNil {
		return nil
	}
	r.at += n
	return r.from[r.at-n : r.at : r.at]
}

// Section returns a Reader of what was written as bytes.
func (r *Reader) Section() *Reader { return NewReader(r.Bytes()) }

// Text reads a text. It is part of what is read.
func (r *Reader) Text() string {
	text := r.Bytes()
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// List reads a list, each item with read. It grows with the items that exist, not with the claimed
// length.
func List[T any](r *Reader, read func(*Reader) T) []T {
	n, isNil := r.Len()
	if isNil {
		return nil
	}
	list := make([]T, 0, min(n, 1024))
	for range n {
		item := read(r)
		if r.damaged {
			return nil
		}
		list = append(list, item)
	}
	return list
}
