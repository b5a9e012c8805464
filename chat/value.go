package chat

import (
	"bytes"
	"iter"
	"strconv"
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

// Value is the raw JSON text of one value, without the space around it; nil if there is none. Its
// methods never fail: for text that is not JSON they return what they could read.
type Value []byte

// Kind returns the kind of v, which its first byte decides.
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
	return string(appendUnescaped(make([]byte, 0, len(body)), body, replaceLone))
}

// AppendText appends Text to dst.
func (v Value) AppendText(dst []byte) []byte {
	return appendUnescaped(dst, v.StringBody(), replaceLone)
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

// Members yields the members of an object in their order: the key as a raw JSON string, and the
// value.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != Object {
			return
		}
		_, _ = walkObject(v, 0, func(key span, at int) (int, error) {
			end, err := skip(v, at)
			if err == nil && !yield(key.of(v), span{at, end}.of(v)) {
				err = errStop
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
		_, _ = walkArray(v, 0, func(at int) (int, error) {
			end, err := skip(v, at)
			if err == nil && !yield(span{at, end}.of(v)) {
				err = errStop
			}
			return end, err
		})
	}
}

// span is a range of offsets. The zero span means absent: no value starts at offset 0 of its
// container.
type span struct{ start, end int }

func (s span) of(b []byte) Value {
	if s.end == 0 {
		return nil
	}
	return Value(b[s.start:s.end:s.end])
}
