package fakeresponses

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Object is a JSON object: an item of a conversation, a part of an item, a tool.
type Object map[string]any

// parseObject decodes an object and nothing after it. Numbers keep their spelling.
func parseObject(body []byte) (Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var o Object
	if err := decoder.Decode(&o); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data behind the object")
	}
	if o == nil {
		return nil, errors.New("null, want an object")
	}
	return o, nil
}

// Has reports whether the object has a member that is not null.
func (o Object) Has(name string) bool { return o[name] != nil }

// Text returns a member that is a string, "" for others.
func (o Object) Text(name string) string {
	s, _ := o[name].(string)
	return s
}

// Object returns a member that is an object, nil for others.
func (o Object) Object(name string) Object { return asObject(o[name]) }

// Objects returns the objects of a member that is a list.
func (o Object) Objects(name string) []Object {
	list, _ := o[name].([]any)
	return objectsOf(list)
}

// int returns a member that is a number, 0 for others.
func (o Object) int(name string) int {
	n, _ := o[name].(json.Number)
	i, _ := n.Int64()
	return int(i)
}

// without returns a copy that lacks some members.
func (o Object) without(names ...string) Object {
	less := make(Object, len(o))
	for name, v := range o {
		less[name] = v
	}
	for _, name := range names {
		delete(less, name)
	}
	return less
}

// asObject returns v if it is an object, nil otherwise.
func asObject(v any) Object {
	switch v := v.(type) {
	case Object:
		return v
	case map[string]any:
		return v
	}
	return nil
}

func objectsOf(list []any) []Object {
	var objects []Object
	for _, v := range list {
		if o := asObject(v); o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}

// kindOf names the kind of a value as OpenAI's errors do.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}
