package script

import "killick/rawjson"

// value is the value of an expression, as far as it is known.
type value struct {
	kind    kind
	text    string  // the text of a text
	json    string  // the JSON of any other static value
	items   []value // the elements of results
	call    int     // the index of the call of a result or member
	name    string  // the name of a member
	encoded bool    // a result was converted to JSON
}

type kind byte

const (
	unknown kind = iota
	text         // a static string
	scalar       // a static number, true, false or null
	object       // a static object or array
	result       // what a call returned
	member       // a member of what a call returned
	results      // an array of what several calls returned
)

// static reports whether the value is spelled out in the program.
func (v value) static() bool { return v.kind == text || v.kind == scalar || v.kind == object }

// append appends a static value as JSON.
func (v *value) append(dst []byte) []byte {
	if v.kind != text {
		return append(dst, v.json...)
	}
	return rawjson.AppendQuoted(dst, v.text)
}
