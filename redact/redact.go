// Package redact finds credentials in text and removes them. It knows the published formats of keys
// and tokens, the places where credentials appear (headers, URLs, assignments, key files), and what
// random characters look like.
//
// It never removes what merely looks technical: hashes, ids, digests, paths and templates stay,
// because an agent that reads a summary needs them. It sends and stores nothing, and takes linear
// time for any text.
package redact

import "strings"

// Version changes when the same text may be redacted differently.
const Version = "3"

// Match is a credential in a text.
type Match struct {
	Start, End int    // byte offsets
	Kind       string // such as "github token"
}

// Text returns s with every credential replaced by "[redacted: KIND]". A second call changes
// nothing.
func Text(s string) string {
	matches := Find(s)
	if len(matches) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for _, m := range matches {
		b.WriteString(s[from:m.Start])
		b.WriteString(placeholderStart + m.Kind + "]")
		from = m.End
	}
	b.WriteString(s[from:])
	return b.String()
}

const placeholderStart = "[redacted: "

// Find returns the credentials in s, in order and without overlaps.
func Find(s string) []Match {
	sc := scanner{text: s}
	keywords.each(s, sc.try)
	return sc.found
}

// scanner is one pass over a text. It examines every occurrence of a keyword; what it reads there
// is limited in length or remembered for the next occurrence.
type scanner struct {
	text  string
	found []Match
	past  int // the end of the last match: nothing before it is read again
	value run // the last unquoted value
}

// run is a part of the text whose end is known.
type run struct {
	start, end int
	trimmed    int // the end without the punctuation of a sentence, which is no part of a value
}

// try applies the rules of the keyword at text[start:end].
func (sc *scanner) try(k *keyword, start, end int) {
	if start < sc.past {
		return
	}
	for _, r := range k.rules {
		if m, ok := r.match(sc.text, start, sc.past); ok {
			sc.add(m)
			return
		}
	}
	if k.context != nil {
		if m, ok := k.context(sc, start, end); ok && m.Start >= sc.past {
			sc.add(m)
		}
	}
}

func (sc *scanner) add(m Match) {
	sc.found = append(sc.found, m)
	sc.past = m.End
}

// named returns a match for a value found by its context, with the kind of its own format if it has
// one.
func (sc *scanner) named(start, end int, kind string) Match {
	own := scanner{text: sc.text[start:end]}
	formats.each(own.text, own.try)
	if len(own.found) > 0 {
		kind = own.found[0].Kind
	}
	return Match{start, end, kind}
}
