package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Object is a JSON object, its members in the order of the text.
type Object []Member

// Member is one member. Its value is nil, a bool, json.Number, string, []any or Object.
type Member struct {
	Name  string
	Value any
}

// Get returns a member, the last of its name, and whether it is there.
func (o Object) Get(name string) (any, bool) {
	for _, m := range slices.Backward(o) {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Text returns a member that is a string, "" if it is none.
func (o Object) Text(name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

// Has reports whether there is a member of a name.
func (o Object) Has(name string) bool {
	_, ok := o.Get(name)
	return ok
}

// Texts returns the texts of a list.
func (o Object) Texts(name string) (all []string) {
	v, _ := o.Get(name)
	list, _ := v.([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// Object returns a member that is an object, nil if it is none.
func (o Object) Object(name string) Object {
	v, _ := o.Get(name)
	sub, _ := v.(Object)
	return sub
}

// Without returns o without the members of a name and without those that are null, which say
// nothing.
func (o Object) Without(name string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Member) bool {
		return m.Name == name || m.Value == nil
	})
}

// Decode reads one JSON value and keeps the order of its members.
func Decode(text []byte) (any, error) {
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
		o := Object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, fmt.Errorf("decoding JSON: %w", err)
			}
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, Member{name.(string), v})
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

// IsList reports whether a value is a list.
func IsList(v any) bool { _, ok := v.([]any); return ok }

// IsString reports whether a value is a string.
func IsString(v any) bool { _, ok := v.(string); return ok }
