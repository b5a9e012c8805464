package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is the value of a word of a command.
type word struct {
	text   string
	ok     bool // text is the value; else nothing is known of it
	glob   bool // text is a pattern
	quoted bool // part of the word is in quotes
}

// literal reports whether text is the value, and not a pattern.
func (w word) literal() bool { return w.ok && !w.glob }

// wordBuilder is a word that is being put together from its parts.
type wordBuilder struct {
	word
	text strings.Builder
}

// resolve returns the value of a word.
func resolve(w *syntax.Word) word {
	value := wordBuilder{word: word{ok: true}}
	for _, part := range w.Parts {
		value.addPart(part, false)
	}
	if value.ok {
		value.word.text = value.text.String()
	}
	return value.word
}

// addPart appends a part of a word to its value.
func (w *wordBuilder) addPart(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		w.addLiteral(p.Value, quoted)
	case *syntax.SglQuoted:
		w.quoted = true
		w.ok = w.ok && !p.Dollar
		w.text.WriteString(p.Value)
	case *syntax.DblQuoted:
		w.quoted = true
		for _, inner := range p.Parts {
			w.addPart(inner, true)
		}
	default: // a variable, or the output of a command
		w.ok = false
	}
}

// addLiteral appends literal text.
func (w *wordBuilder) addLiteral(text string, quoted bool) {
	// Where the last of these are, so that no brace has the rest searched for them.
	end := strings.LastIndexByte(text, '}')
	several := max(strings.LastIndexByte(text, ','), strings.LastIndex(text, ".."))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) &&
			(!quoted || strings.IndexByte("\\\"$`\n", text[i+1]) >= 0):
			if i++; text[i] != '\n' {
				w.text.WriteByte(text[i])
			}
			if !quoted && alphanumeric(text[i]) {
				w.ok = false // it may be a path of Windows, which another shell reads whole
			}
			continue
		case !quoted && (c == '*' || c == '?' || c == '['):
			w.glob = true
		case !quoted && c == '{' && end > i && several > i: // alternatives
			w.glob = true
			w.text.WriteByte('*')
			i += strings.IndexByte(text[i:], '}')
			continue
		case !quoted && c == '{' && end < i:
			w.glob = true // alternatives, with a part in quotes
		}
		w.text.WriteByte(c)
	}
}

func alphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}
