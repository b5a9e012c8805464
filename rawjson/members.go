package rawjson

import (
	"bytes"
	"maps"
	"slices"
)

// WithMembers returns the JSON object with the members in set replaced; a nil Value removes its
// member, and members that the object lacks are appended in the order of their names. Of duplicate
// members the first is replaced and the others are removed. Every other byte stays. Text that is
// not an object is returned as it is.
func WithMembers(object []byte, set map[string]Value) []byte {
	start := Space(object, 0)
	if start >= len(object) || object[start] != '{' {
		return object
	}
	e := memberEdit{object: object, set: set, done: map[string]bool{}}
	e.out = append(make([]byte, 0, len(object)+64), object[:start+1]...)
	e.last = start + 1
	end, err := WalkObject(object, start, e.member)
	if err != nil {
		return object
	}
	e.add()
	return append(append(e.out, object[e.last:end]...), object[end:]...)
}

// memberEdit is the state of writing an object.
type memberEdit struct {
	object []byte
	set    map[string]Value
	done   map[string]bool
	out    []byte
	last   int // end of the last member read, kept or not
	kept   int
}

// member writes one member and the bytes before it, or leaves both out.
func (e *memberEdit) member(key Span, at int) (int, error) {
	end, err := Skip(e.object, at)
	if err != nil {
		return end, err
	}
	before := e.object[e.last:key.Start]
	e.last = end
	name := key.Of(e.object).Text()
	value, edited := e.set[name]
	if edited && (value == nil || e.done[name]) {
		return end, nil
	}
	if e.kept == 0 {
		if comma := bytes.IndexByte(before, ','); comma >= 0 {
			before = before[comma+1:]
		}
	}
	e.kept++
	e.out = append(append(e.out, before...), e.object[key.Start:at]...)
	if edited {
		e.done[name] = true
		e.out = append(e.out, value...)
	} else {
		e.out = append(e.out, e.object[at:end]...)
	}
	return end, nil
}

// add writes the members that the object lacks.
func (e *memberEdit) add() {
	for _, name := range slices.Sorted(maps.Keys(e.set)) {
		if e.set[name] == nil || e.done[name] {
			continue
		}
		if e.kept > 0 {
			e.out = append(e.out, ',')
		}
		e.kept++
		e.out = append(AppendQuoted(e.out, name), ':')
		e.out = append(e.out, e.set[name]...)
	}
}
