package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is what a word of a command says.
type word struct {
	text   string
	ok     bool // text is what it says, as far as glob and end do not limit that
	glob   bool // it is a pattern
	end    bool // text is only the end of what it says
	loose  bool // it is the value of a variable
	quoted bool // some of it is
}

// plain reports whether a word says just its text.
func (w word) plain() bool { return w.ok && !w.glob && !w.end }

// resolve returns what a word says: mostly one thing, several where it is a variable of a loop.
func (r *reader) resolve(w *syntax.Word) []word {
	if p := single(w); p != nil {
		if values := r.valuesOf(p); len(values) > 0 {
			return values
		}
	}
	said := word{ok: true}
	for _, part := range w.Parts {
		r.part(&said, part, false)
	}
	return []word{said}
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

// valuesOf returns the values of a variable, nil if they are not known.
func (r *reader) valuesOf(p *syntax.ParamExp) []word {
	if !whole(p) {
		return nil
	}
	values := r.known[p.Param.Value]
	for _, v := range values {
		if strings.ContainsAny(v.text, " \t\n*?[") {
			return nil // which may be several words
		}
	}
	return values
}

// whole reports whether an expansion is just the value of a variable.
func whole(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil &&
		p.Repl == nil && p.Exp == nil && p.Names == 0 && p.Flags == nil && p.NestedParam == nil
}

// part adds a part of a word.
func (r *reader) part(said *word, part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		said.literal(p.Value, quoted)
	case *syntax.SglQuoted:
		said.quoted = true
		if p.Dollar {
			said.unknown()
			return
		}
		said.text += p.Value
	case *syntax.DblQuoted:
		said.quoted = true
		for _, inner := range p.Parts {
			r.part(said, inner, true)
		}
	case *syntax.ParamExp:
		if values := r.valuesOf(p); len(values) == 1 {
			said.text, said.loose = said.text+values[0].text, true
			return
		}
		said.unknown()
	default:
		said.unknown()
	}
}

// unknown adds a part that can say anything.
func (w *word) unknown() {
	w.text, w.end = "", true
}

// literal adds text that is spelled out.
func (w *word) literal(text string, quoted bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) &&
			(!quoted || strings.IndexByte("\\\"$`\n", text[i+1]) >= 0):
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
			}
			continue
		case !quoted && (c == '*' || c == '?' || c == '['):
			w.glob = true
		case !quoted && c == '{' && strings.Contains(text[i:], "}") &&
			(strings.Contains(text[i:], ",") || strings.Contains(text[i:], "..")): // alternatives
			w.glob = true
			b.WriteByte('*')
			i += strings.IndexByte(text[i:], '}')
			continue
		}
		b.WriteByte(c)
	}
	w.text += b.String()
}

// path returns the word as a path of a file: of one of which only the end is known, what follows
// its first slash.
func (w word) path() word {
	if !w.end {
		return w
	}
	_, rest, ok := strings.Cut(w.text, "/")
	if !ok || rest == "" || strings.HasPrefix(rest, "/") {
		return word{}
	}
	w.text = rest
	return w
}

// words returns what words say. Those of variables with several values are several.
func (r *reader) words(list []*syntax.Word) (said []word, certain bool) {
	certain = true
	for _, w := range list {
		of := r.resolve(w)
		certain = certain && len(of) == 1
		said = append(said, of...)
	}
	return said, certain
}
