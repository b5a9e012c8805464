package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invention is something that a record names and the replaced messages do not.
type Invention struct {
	Kind Kind   // Path, Identifier, URL, Number, Version; Choice for what a decision speaks of
	Text string // as the record spells it
	Line string // the passage that names it, cut to 300 bytes

	// Altered is set where the messages name something that differs little: the same file in another folder or another in
	// the same, a number or id but for one digit. That is no fancy but a fact told wrong.
	Altered bool
}

// hardInventions is from how many on a record is not to be used: one may be a slip, three are a habit.
const hardInventions = 3

// maxNamed bounds the names and values of a record that are looked up; of a longer list the rest is taken on trust.
const maxNamed = 2000

// named is a name or value of a record with its spellings, one of which must be known.
type named struct {
	Invention
	ways []spelled
	s    int       // sentence
	like *evidence // of a number
}

// inventions returns what d names and the messages do not, each once.
func (e *Exam) inventions(d *document) (out []Invention) {
	seen := set{}
	for _, n := range e.unknown(d) {
		if !seen.has(n.Text) {
			seen[n.Text] = struct{}{}
			out = append(out, n.Invention)
		}
	}
	return out
}

// unknown returns the places where d names what the messages do not.
func (e *Exam) unknown(d *document) (out []named) {
	var v vocabulary
	names := v.gather(d)
	if len(names) == 0 {
		return nil
	}
	v.read(e.msgs)
	for _, n := range names {
		if slices.ContainsFunc(n.ways, v.knows) {
			continue
		}
		n.Line = d.text(n.s, n.s, maxPassage)
		n.Altered = n.Kind == Path && v.touches(n.ways[0])
		out = append(out, n)
		if len(out) == maxInventions {
			break
		}
	}
	e.compare(out)
	return out
}

// maxInventions bounds how many are reported.
const maxInventions = 50

// compare marks the unknown ids and numbers that differ from one in the messages by a single digit.
func (e *Exam) compare(unknown []named) {
	var v vocabulary
	ways := make([][]spelled, len(unknown))
	for i, n := range unknown {
		if n.Kind != Path && n.Kind != Choice {
			ways[i] = v.misspellings(n.Text, n.like)
		}
	}
	if v.wanted == nil {
		return
	}
	v.read(e.msgs)
	for i := range unknown {
		unknown[i].Altered = unknown[i].Altered || slices.ContainsFunc(ways[i], v.knows)
	}
}

// gather collects what d names, and what has to be looked for.
func (v *vocabulary) gather(d *document) (out []named) {
	for s := range d.sentences {
		sen := d.sentences[s]
		choosing := false
		for i := sen.from; i < sen.to; i++ {
			t := &d.tokens[i]
			if t.aux || len(out) == maxNamed {
				continue
			}
			choosing = choosing || t.chosen || t.flip
			if n, ok := v.name(d, i); ok {
				n.s = s
				out = append(out, n)
			}
		}
		if choosing {
			out = append(out, v.options(d, s)...)
		}
	}
	return out
}

// name reads token i as a name or value that cannot come from nowhere.
func (v *vocabulary) name(d *document, i int) (n named, ok bool) {
	t := &d.tokens[i]
	text := strings.Trim(d.source[t.start:t.end], " .,:;!?\"'`*()[]{}<>")
	if len(text) < 3 || len(text) > maxValue+200 || nonASCII(text) {
		return n, false
	}
	n.Text = text
	switch t.class {
	case path:
		n.Kind = Path
		if int(t.end) < len(d.source) && strings.IndexByte("{*<$[", d.source[t.end]) >= 0 || strings.Contains(text, "...") || strings.ContainsAny(text, "*{}<>$") || strings.Count(text, "/") == 0 && strings.HasPrefix(text, ".") {
			return n, false // a pattern
		}
		n.ways = []spelled{v.spell(t.text)}
	case link:
		n.Kind = URL
		_, rest, _ := strings.Cut(t.text, "://")
		n.ways = []spelled{v.spell(strings.TrimPrefix(rest, "www."))}
	case digest:
		n.Kind = Identifier
		n.ways = []spelled{v.spell(t.text), v.spell(text)}
	case name:
		n.Kind = Identifier
		if !identity(text) {
			return n, false
		}
		n.ways = []spelled{v.spell(t.text), v.spell(text)}
	case version:
		n.Kind = Version
		if len(t.rel.parts) < 2 {
			return n, false
		}
		n.ways = []spelled{v.spell(strings.TrimPrefix(t.text, "v")), v.spell(t.text)}
	case number:
		n.Kind = Number
		if !telling(d, i, text) {
			return n, false
		}
		n.like = &evidence{dim: t.qty.unit.dim, words: d.beside(i)}
		for _, way := range append(spellings(*t.qty), strings.Trim(text, "#$€£%")) {
			n.ways = append(n.ways, v.spell(way))
			v.prove(&n.ways[len(n.ways)-1], way, n.like)
		}
	default:
		return n, false
	}
	return n, true
}

func nonASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

// identity reports whether an identifier is one that nobody makes up in passing: with a digit, an underscore or an at sign
// in it. Dates and times are written anew in many ways.
func identity(s string) bool {
	if strings.Trim(s, "0123456789:/-.tTzZ") == "" {
		return false
	}
	digits := strings.ContainsAny(s, "0123456789")
	return strings.ContainsAny(s, "_@") || digits && len(s) > 4 && (len(s) > 6 || !ordinal(s))
}

// ordinal reports whether s is a number with letters, as counts and ranks are.
func ordinal(s string) bool { return strings.TrimLeft(s, "0123456789") != s }

// telling reports whether the number at token i stands for a value: it has a unit, four digits, a "#", or a label such as
// "port" before it. Small numbers are counts, which a summary makes itself.
func telling(d *document, i int, text string) bool {
	q := d.tokens[i].qty
	switch {
	case q.unit.dim == "share":
		return false
	case q.unit.dim != "":
		return q.value >= 10
	case strings.HasPrefix(text, "#"):
		return q.value >= 10
	case q.value >= 1000:
		return true
	}
	p := preceding(d.tokens, i)
	return p != nil && q.value >= 10 && valueLabels[p.text] != nil
}

// options returns the things that sentence s chooses or turns down by their proper names, to be known of too.
func (v *vocabulary) options(d *document, s int) (out []named) {
	sen := d.sentences[s]
	for i := sen.from + 1; i < sen.to; i++ {
		t := &d.tokens[i]
		if t.class != word || t.aux || t.stop || !(t.chosen || t.flip) {
			continue
		}
		text := d.source[t.start:t.end]
		if r, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(r) || nonASCII(text) || !properPlace(d, i) {
			continue
		}
		out = append(out, named{Invention{Kind: Choice, Text: text}, []spelled{v.spell(t.text), v.spell(t.keys[0][2:])}, s, nil})
	}
	return out
}

// properPlace reports whether the word at i is written with a capital for another reason than that a clause begins.
func properPlace(d *document, i int) bool {
	return d.tokens[i-1].clause == d.tokens[i].clause
}

// beside returns the beginnings of the words that stand in one sentence with the number at token i.
func (d *document) beside(i int) (out []string) {
	sen := d.sentences[d.sentenceOf(i)]
	for j := max(sen.from, i-nearWords); j < min(sen.to, i+nearWords); j++ {
		t := &d.tokens[j]
		if j == i || t.stop || t.light || t.class == number || len(t.text) < 4 || nonASCII(t.text) {
			continue
		}
		out = append(out, clip(t.text, wordStart))
	}
	return out
}

// nearWords is how far from a number a word may stand to say what it is of; wordStart how much of the word is looked for.
const (
	nearWords = 12
	wordStart = 5
)
