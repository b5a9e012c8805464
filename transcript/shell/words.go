package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is the value of a word of a command, as far as it is known.
type word struct {
	text     string
	ok       bool // text is the value, unless glob or suffix is set
	glob     bool // text is a pattern
	suffix   bool // text is only the end of the value
	variable bool // a part of the value comes from a variable
	quoted   bool // part of the word is in quotes
}

// literal reports whether text is the value.
func (w word) literal() bool { return w.ok && !w.glob && !w.suffix }

// resolve returns the values of a word: one, or several for the variable of a loop.
func (r *reader) resolve(w *syntax.Word) []word {
	if p := single(w); p != nil {
		if values := r.valuesOf(p); len(values) > 0 {
			return values
		}
	}
	value := wordBuilder{word: word{ok: true}}
	for _, part := range w.Parts {
		r.addPart(&value, part, false)
	}
	value.word.text = value.text.String()
	return []word{value.word}
}

// wordBuilder is a word that is being put together from its parts.
type wordBuilder struct {
	word
	text strings.Builder
}

// single returns the variable that a word consists of, nil if it is anything else.
func single(w *syntax.Word) *syntax.ParamExp {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return nil
	}
	p, _ := parts[0].(*syntax.ParamExp)
	return p
}

// maxExpanded limits the bytes and the values that variables expand to in one command. Variables
// may contain others: without a limit the text of a command could grow exponentially.
const maxExpanded = 4 * maxCommand

// valuesOf returns the values of a variable, nil if they are not known or too long.
func (r *reader) valuesOf(p *syntax.ParamExp) []word {
	if !whole(p) {
		return nil
	}
	values := r.variables[p.Param.Value]
	for _, v := range values {
		if r.expanded += 1 + len(v.text); r.expanded > maxExpanded {
			return nil
		}
		if strings.ContainsAny(v.text, " \t\n*?[") {
			return nil // the shell may split it
		}
	}
	return values
}

// whole reports whether an expansion is just the value of a variable.
func whole(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil &&
		p.Repl == nil && p.Exp == nil && p.Names == 0 && p.Flags == nil && p.NestedParam == nil
}

// addPart appends a part of a word to its value.
func (r *reader) addPart(value *wordBuilder, part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		value.addLiteral(p.Value, quoted)
	case *syntax.SglQuoted:
		value.quoted = true
		if p.Dollar {
			value.addUnknown()
			return
		}
		value.text.WriteString(p.Value)
	case *syntax.DblQuoted:
		value.quoted = true
		for _, inner := range p.Parts {
			r.addPart(value, inner, true)
		}
	case *syntax.ParamExp:
		if values := r.valuesOf(p); len(values) == 1 {
			value.text.WriteString(values[0].text)
			value.variable = true
			return
		}
		value.addUnknown()
	default:
		value.addUnknown()
	}
}

// addUnknown appends a part whose value is not known.
func (w *wordBuilder) addUnknown() {
	w.text.Reset()
	w.suffix = true
}

// addLiteral appends literal text.
func (w *wordBuilder) addLiteral(text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) &&
			(!quoted || strings.IndexByte("\\\"$`\n", text[i+1]) >= 0):
			if i++; text[i] != '\n' {
				w.text.WriteByte(text[i])
			}
			continue
		case !quoted && (c == '*' || c == '?' || c == '['):
			w.glob = true
		case !quoted && c == '{' && strings.Contains(text[i:], "}") &&
			(strings.Contains(text[i:], ",") || strings.Contains(text[i:], "..")): // alternatives
			w.glob = true
			w.text.WriteByte('*')
			i += strings.IndexByte(text[i:], '}')
			continue
		case !quoted && c == '{' && !strings.Contains(text[i:], "}"):
			w.glob = true // alternatives, with a part in quotes
		}
		w.text.WriteByte(c)
	}
}

// path returns the word as a path. If only the end of its value is known, the path is the part of
// that end after its first slash.
func (w word) path() word {
	if !w.suffix {
		return w
	}
	_, rest, ok := strings.Cut(w.text, "/")
	if !ok || rest == "" || strings.HasPrefix(rest, "/") {
		return word{}
	}
	w.text = rest
	return w
}

// words returns the values of words. certain is false if one of them has several values.
func (r *reader) words(list []*syntax.Word) (values []word, certain bool) {
	certain = true
	for _, w := range list {
		of := r.resolve(w)
		certain = certain && len(of) == 1
		values = append(values, of...)
	}
	return values, certain
}
