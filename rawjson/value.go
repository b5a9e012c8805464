package rawjson

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"unsafe"
)

// Kind is the kind of a JSON value.
type Kind byte

// The kinds of a Value. Absent is the kind of a nil Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is the raw JSON text of one value, without the space around it; nil if it is absent. Its
// methods never fail: for text that is not JSON they return what they could read.
type Value []byte

// Only returns the one JSON value that a text consists of, nil if it consists of anything else:
// text after a value, several values, a part of one.
func Only(text string) Value {
	b := []byte(text)
	start := Space(b, 0)
	end, err := Skip(b, start)
	if err != nil || Space(b, end) < len(b) {
		return nil
	}
	return b[start:end]
}

// Kind returns the kind of v by its first byte.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Absent
	}
	switch v[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// StringBody returns the text between the quotes of a string, still escaped; nil if v is not a
// string.
func (v Value) StringBody() []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

// Text returns the decoded text of a string, "" if v is not one. Unpaired surrogates become U+FFFD
// as in encoding/json; other bytes are kept.
func (v Value) Text() string {
	body := v.StringBody()
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	text := AppendUnescaped(make([]byte, 0, len(body)), body, ReplaceLone)
	if len(text) < len(body)/2 {
		return string(text) // a copy without the unused capacity
	}
	return unsafe.String(unsafe.SliceData(text), len(text)) // nothing else refers to text
}

// TextBytes returns Text as bytes. They are a part of v if nothing is escaped.
func (v Value) TextBytes() []byte {
	body := v.StringBody()
	if bytes.IndexByte(body, '\\') < 0 {
		return body
	}
	return v.AppendText(nil)
}

// AppendText appends Text to dst.
func (v Value) AppendText(dst []byte) []byte {
	return AppendUnescaped(dst, v.StringBody(), ReplaceLone)
}

// Int returns the value of a non-negative integer; ok is false for anything else.
func (v Value) Int() (n int, ok bool) {
	if v.Kind() != Number || v[0] == '-' {
		return 0, false
	}
	n, err := strconv.Atoi(string(v))
	return n, err == nil
}

// Is reports whether v is the string s, however it is escaped.
func (v Value) Is(s string) bool {
	body := v.StringBody()
	if body == nil {
		return false
	}
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body) == s
	}
	return v.Text() == s
}

// Get returns the member key of an object, nil if there is none. Of duplicates the last counts, as
// in most parsers.
func (v Value) Get(key string) Value {
	var found Value
	for k, member := range v.Members() {
		if k.Is(key) {
			found = member
		}
	}
	return found
}

// GetEach returns for each key what Get returns. It scans the object once.
func (v Value) GetEach(keys ...string) []Value {
	found := make([]Value, len(keys))
	for k, member := range v.Members() {
		if i := slices.IndexFunc(keys, k.Is); i >= 0 {
			found[i] = member
		}
	}
	return found
}

// GetSkipping is like Get, but does not scan the value at known, mostly the longest of the object.
func (v Value) GetSkipping(key string, known Span) (found Value) {
	if v.Kind() != Object {
		return nil
	}
	_, _ = WalkObject(v, 0, func(name Span, at int) (end int, err error) {
		if at == int(known.Start) && known.End > known.Start {
			end = int(known.End)
		} else if end, err = Skip(v, at); err != nil {
			return end, err
		}
		if name.Of(v).Is(key) {
			found = SpanOf(at, end).Of(v)
		}
		return end, nil
	})
	return found
}

// Members yields the members of an object in their order: the key as a raw JSON string, and the
// value.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != Object {
			return
		}
		_, _ = WalkObject(v, 0, func(key Span, at int) (int, error) {
			end, err := Skip(v, at)
			if err == nil && !yield(key.Of(v), SpanOf(at, end).Of(v)) {
				err = ErrStop
			}
			return end, err
		})
	}
}

// Elements yields the elements of an array in their order.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		_, _ = WalkArray(v, 0, func(at int) (int, error) {
			end, err := Skip(v, at)
			if err == nil && !yield(SpanOf(at, end).Of(v)) {
				err = ErrStop
			}
			return end, err
		})
	}
}

// Of returns the value at the span in b, nil if the span is zero.
func (s Span) Of(b []byte) Value {
	if s.End == 0 {
		return nil
	}
	return Value(b[s.Start:s.End:s.End])
}

// Replace returns b with the value at the span replaced; b itself if the span is zero.
func Replace(b []byte, at Span, value []byte) []byte {
	if at.End == 0 {
		return b
	}
	out := make([]byte, 0, len(b)-int(at.End-at.Start)+len(value))
	out = append(out, b[:at.Start]...)
	out = append(out, value...)
	return append(out, b[at.End:]...)
}
