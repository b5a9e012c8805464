package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	var w Writer
	for _, n := range []int{0, 1, -1, 1 << 40, math.MinInt, math.MaxInt} {
		w.Int(n)
	}
	w.Int64(math.MinInt64)
	w.Float(-0.5)
	w.Bool(true)
	w.Bool(false)
	w.Bytes(nil)
	w.Bytes([]byte{})
	w.Bytes([]byte("raw"))
	w.Text("")
	w.Text("a\xffé")
	w.Len(2, false)
	w.Text("x")
	w.Text("y")
	w.Len(0, true)
	r := NewReader(w)
	for _, n := range []int{0, 1, -1, 1 << 40, math.MinInt, math.MaxInt} {
		if got := r.Int(); got != n {
			t.Errorf("got %d, want %d", got, n)
		}
	}
	if r.Int64() != math.MinInt64 || r.Float() != -0.5 || !r.Bool() || r.Bool() {
		t.Error("a number or a boolean differs")
	}
	if b := r.Bytes(); b != nil {
		t.Errorf("nil bytes read as %q", b)
	}
	if b := r.Bytes(); b == nil || len(b) != 0 {
		t.Errorf("no bytes read as %q, nil %t", b, b == nil)
	}
	if b := r.Bytes(); !bytes.Equal(b, []byte("raw")) || cap(b) != 3 {
		t.Errorf("bytes read as %q with room for %d", b, cap(b))
	}
	if a, b := r.Text(), r.Text(); a != "" || b != "a\xffé" {
		t.Errorf("texts %q, %q", a, b)
	}
	if list := List(r, (*Reader).Text); len(list) != 2 || list[0] != "x" || list[1] != "y" {
		t.Errorf("list %q", list)
	}
	if list := List(r, (*Reader).Text); list != nil {
		t.Errorf("a nil list read as %q", list)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
}

// A section has its length before it, which may take one byte or more.
func TestSections(t *testing.T) {
	for _, size := range []int{0, 1, 126, 127, 20_000} {
		text := strings.Repeat("x", size)
		var w Writer
		w.Int(5)
		w.Section(func(w *Writer) {
			*w = append(*w, text...)
		})
		w.Section(func(w *Writer) { w.Text(text) })
		w.Int(7)
		r := NewReader(w)
		before, bytes, section, after := r.Int(), r.Bytes(), r.Section(), r.Int()
		if got := section.Text(); before != 5 || string(bytes) != text || got != text ||
			after != 7 || errors.Join(section.End(), r.End()) != nil {
			t.Errorf("%d bytes are read as %d, a section of %d and one with %d", size, before,
				len(bytes), len(got))
		}
	}
}

func TestDamageIsReported(t *testing.T) {
	var w Writer
	w.Text("some text")
	w.Int(300)
	for name, c := range map[string]struct {
		from []byte
		read func(*Reader)
	}{
		"nothing":        {nil, func(r *Reader) { r.Int() }},
		"cut":            {w[:5], func(r *Reader) { r.Text() }},
		"cut number":     {w[:len(w)-1], func(r *Reader) { r.Text(); r.Int() }},
		"something left": {w, func(r *Reader) { r.Text() }},
		"no boolean":     {[]byte{2}, func(r *Reader) { r.Bool() }},
		"half a float":   {[]byte{2, 3}, func(r *Reader) { r.Float() }},
		"a NaN": {binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())),
			func(r *Reader) { r.Float() }},
		"a huge number": {bytes.Repeat([]byte{0xff}, 11), func(r *Reader) { r.Int() }},
		"a huge length": {[]byte{0xff, 0xff, 0xff, 0x7f, 1}, func(r *Reader) { r.Bytes() }},
		"a huge list":   {[]byte{0xff, 0xff, 0x7f, 1}, func(r *Reader) { List(r, (*Reader).Int) }},
		"items too few": {[]byte{4, 1, 1}, func(r *Reader) { List(r, (*Reader).Float) }},
	} {
		r := NewReader(c.from)
		if c.read(r); !errors.Is(r.End(), ErrDamaged) {
			t.Errorf("%s: %v", name, r.Err())
		}
		if r.Int() != 0 || r.Text() != "" || r.Bytes() != nil || r.Bool() || r.Float() != 0 {
			t.Errorf("%s: something is read after the damage", name)
		}
	}
}

// FuzzReader: whatever is read, nothing panics, and no more is allocated than the values
// that can be there.
func FuzzReader(f *testing.F) {
	var w Writer
	w.Int(7)
	w.Text("text")
	w.Len(2, false)
	w.Bytes([]byte("a"))
	w.Bytes(nil)
	f.Add([]byte(w))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 12))
	f.Fuzz(func(t *testing.T, from []byte) {
		r := NewReader(from)
		n, text := r.Int(), r.Text()
		list := List(r, (*Reader).Bytes)
		size := len(text)
		for _, b := range list {
			size += len(b)
		}
		if size > len(from) || len(list) > len(from) {
			t.Errorf("%d bytes hold %d bytes in %d items", len(from), size, len(list))
		}
		if r.End() != nil {
			return
		}
		var again Writer
		again.Int(n)
		again.Text(text)
		again.Len(len(list), list == nil)
		for _, b := range list {
			again.Bytes(b)
		}
		if len(again) > len(from) {
			t.Errorf("%q is written as %q", from, again)
		}
	})
}
