package script

import (
	"regexp"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"killick/rawjson"
)

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

// number matches the number literals that JSON.stringify would spell in the same way.
var number = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})(\.[0-9]{0,2}[1-9])?$`)

// literal evaluates a literal.
func (r *reader) literal(l *js.LiteralExpr) value {
	switch l.TokenType {
	case js.StringToken:
		return r.textOf(unquote(l.Data))
	case js.TrueToken, js.FalseToken, js.NullToken:
		return value{kind: scalar, json: string(l.Data)}
	default:
		if js.IsNumeric(l.TokenType) && number.Match(l.Data) {
			return value{kind: scalar, json: string(l.Data)}
		}
	}
	return value{}
}

// textOf returns a static text, or refuses the program if its static values exceed the limit. ok is
// false if the text is not known.
func (r *reader) textOf(s string, ok bool) value {
	if !ok {
		return value{}
	}
	if r.static += len(s); r.static > maxStatic {
		r.refused = true
		return value{}
	}
	return value{kind: text, text: s}
}

// append appends a static value as JSON.
func (v *value) append(dst []byte) []byte {
	if v.kind != text {
		return append(dst, v.json...)
	}
	return rawjson.AppendQuoted(dst, v.text)
}

// objectOf returns a static object or array, or refuses the program if its static values exceed the
// limit.
func (r *reader) objectOf(encoded []byte) value {
	if r.static += len(encoded); r.static > maxStatic {
		r.refused = true
		return value{}
	}
	return value{kind: object, json: string(encoded)}
}

// array evaluates an array.
func (r *reader) array(a *js.ArrayExpr) value {
	items, static := make([]value, 0, len(a.List)), true
	for i := range a.List {
		if a.List[i].Value == nil {
			static = false
			continue
		}
		v := r.expression(a.List[i].Value)
		static = static && v.static() && !a.List[i].Spread
		items = append(items, v)
	}
	if !static {
		return value{}
	}
	encoded := []byte{'['}
	for i := range items {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		if encoded = items[i].append(encoded); len(encoded) > maxStatic {
			break // objectOf refuses it
		}
	}
	return r.objectOf(append(encoded, ']'))
}

// properties evaluates an object.
func (r *reader) properties(o *js.ObjectExpr) value {
	encoded := []byte{'{'}
	static, seen := true, map[string]bool{}
	for i := range o.List {
		p := &o.List[i]
		v := r.expression(p.Value)
		name, ok := "", false
		if p.Name != nil {
			name, ok = propertyName(p.Name)
		}
		if static = static && ok && !p.Spread && p.Init == nil && v.static() && !seen[name] &&
			name != "__proto__"; static {
			if len(seen) > 0 {
				encoded = append(encoded, ',')
			}
			seen[name] = true
			encoded = append(rawjson.AppendQuoted(encoded, name), ':')
			if encoded = v.append(encoded); len(encoded) > maxStatic {
				break // objectOf refuses it
			}
		}
	}
	if !static {
		return value{}
	}
	return r.objectOf(append(encoded, '}'))
}

// propertyName returns the name of a property, if it is not computed.
func propertyName(n *js.PropertyName) (string, bool) {
	switch l := &n.Literal; {
	case n.IsComputed():
	case l.TokenType == js.StringToken:
		return unquote(l.Data)
	case js.IsIdentifierName(l.TokenType) && !strings.Contains(string(l.Data), `\`):
		return string(l.Data), true
	}
	return "", false
}
