package script

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"killick/rawjson"
)

// value is the value of an expression, as far as it is known.
type value struct {
	kind    kind
	text    string  // the text of a text
	json    string  // the JSON of any other static value
	items   []value // the elements of a static array or of results
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
		if s, ok := unquote(l.Data); ok {
			return r.textOf(s)
		}
	case js.TrueToken, js.FalseToken, js.NullToken:
		return value{kind: scalar, json: string(l.Data)}
	default:
		if js.IsNumeric(l.TokenType) && number.Match(l.Data) {
			return value{kind: scalar, json: string(l.Data)}
		}
	}
	return value{}
}

// textOf returns a static text, or refuses the program if its static values exceed the limit.
func (r *reader) textOf(s string) value {
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
func (r *reader) objectOf(encoded []byte, items []value) value {
	if r.static += len(encoded); r.static > maxStatic {
		r.refused = true
		return value{}
	}
	return value{kind: object, json: string(encoded), items: items}
}

// template evaluates a template without a tag, or with the tag String.raw.
func (r *reader) template(t *js.TemplateExpr) value {
	raw := false
	if t.Tag != nil {
		if raw = r.isGlobalMember(t.Tag, "String", "raw") && !t.Optional; !raw {
			return r.opaque()
		}
	}
	var b strings.Builder
	static := true
	piece := func(body []byte, before, after int) {
		s := string(body[before : len(body)-after])
		if raw {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
			return
		}
		plain, ok := cooked(s)
		static = static && ok
		b.WriteString(plain)
	}
	for i := range t.List {
		piece(t.List[i].Value, 1, len("${"))
		inner := r.expression(t.List[i].Expr)
		if static = static && inner.kind == text; static {
			b.WriteString(inner.text)
		}
		if b.Len() > maxStatic {
			r.refused = true
			return value{}
		}
	}
	if piece(t.Tail, 1, 1); !static {
		return value{}
	}
	return r.textOf(b.String())
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
	return r.objectOf(append(encoded, ']'), items)
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
			name, ok = r.propertyName(p.Name)
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
	return r.objectOf(append(encoded, '}'), nil)
}

// propertyName returns the name of a property.
func (r *reader) propertyName(n *js.PropertyName) (string, bool) {
	if n.IsComputed() {
		v := r.expression(n.Computed)
		return v.text, v.kind == text
	}
	switch l := &n.Literal; {
	case l.TokenType == js.StringToken:
		return unquote(l.Data)
	case js.IsIdentifierName(l.TokenType) && !strings.Contains(string(l.Data), `\`):
		return string(l.Data), true
	}
	return "", false
}

// memberOf returns a member of a value.
func (r *reader) memberOf(v value, name string) value {
	if v.kind == result {
		return value{kind: member, call: v.call, name: name}
	}
	if v.kind != text && v.kind != object { // it may be null
		r.mayFail()
	}
	return value{}
}

// elementOf returns an element of a value.
func (r *reader) elementOf(v, at value) value {
	if at.kind == text {
		return r.memberOf(v, at.text)
	}
	i, err := strconv.Atoi(at.json)
	if v.kind != results || at.kind != scalar || err != nil || i < 0 || i >= len(v.items) {
		r.mayFail()
		return value{}
	}
	return v.items[i]
}

// sum evaluates a + b.
func (r *reader) sum(a, b value) value {
	if a.kind == text && b.kind == text {
		return r.textOf(a.text + b.text)
	}
	return value{}
}

// joined evaluates [a, b].join(between).
func (r *reader) joined(list value, between []value) value {
	separator := ","
	if len(between) > 0 {
		separator = between[0].text
	}
	if list.kind != object || list.items == nil || len(between) > 1 ||
		len(between) == 1 && between[0].kind != text {
		return value{}
	}
	parts, size := make([]string, len(list.items)), 0
	for i := range list.items {
		if list.items[i].kind != text {
			return value{}
		}
		parts[i] = list.items[i].text
		size += len(parts[i]) + len(separator)
	}
	if size > maxStatic {
		r.refused = true
		return value{}
	}
	return r.textOf(strings.Join(parts, separator))
}
