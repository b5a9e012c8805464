package fakemessages

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A JSON value is nil, bool, json.Number, string, []any or an object.
type (
	object []member // in the order of the text
	member struct {
		name  string
		value any
	}
)

// get returns a member, the last of its name, and whether it is there.
func (o object) get(name string) (any, bool) {
	for _, m := range slices.Backward(o) {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

func (o object) text(name string) string {
	v, _ := o.get(name)
	s, _ := v.(string)
	return s
}

func (o object) has(name string) bool {
	_, ok := o.get(name)
	return ok
}

// texts returns the texts of a list.
func (o object) texts(name string) (all []string) {
	v, _ := o.get(name)
	list, _ := v.([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

func (o object) object(name string) object {
	v, _ := o.get(name)
	sub, _ := v.(object)
	return sub
}

// without returns o without the members of a name and without those that are null, which say
// nothing.
func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool {
		return m.name == name || m.value == nil
	})
}

// decode reads one JSON value and keeps the order of its members.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("decoding JSON: more follows at byte %d, want the end",
			d.InputOffset())
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("decoding JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, fmt.Errorf("decoding JSON: %w", err)
			}
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), v})
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// appendCanonical appends a text of v that is the same for the same values, however their JSON is
// spelled. It is for hashing: nothing reads it. Without sorted, the order of members counts.
func appendCanonical(b []byte, v any, sorted bool) []byte {
	switch v := v.(type) {
	case string:
		return append(append(length(append(b, 's'), len(v)), v...), 0)
	case json.Number:
		return append(append(length(append(b, 'n'), len(v)), v...), 0)
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'f')
	case []any:
		b = length(append(b, '['), len(v))
		for _, e := range v {
			b = appendCanonical(b, e, sorted)
		}
		return b
	case object:
		if sorted {
			v = slices.Clone(v)
			slices.SortStableFunc(v, func(x, y member) int {
				return strings.Compare(x.name, y.name)
			})
		}
		b = length(append(b, '{'), len(v))
		for _, m := range v {
			b = appendCanonical(appendCanonical(b, m.name, sorted), m.value, sorted)
		}
		return b
	}
	return append(b, 'z')
}

func length(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func isList(v any) bool   { _, ok := v.([]any); return ok }
func isString(v any) bool { _, ok := v.(string); return ok }
