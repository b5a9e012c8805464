package script

import (
	"regexp"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

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

// objectOf returns a static object or array, or refuses the program if its static values exceed the
// limit.
func (r *reader) objectOf(encoded []byte) value {
	if r.static += len(encoded); r.static > maxStatic {
		r.refused = true
		return value{}
	}
	return value{kind: object, json: string(encoded)}
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
