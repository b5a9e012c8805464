// Package redact finds credentials in text and takes them out. It knows the
// published forms of keys and tokens, the places where credentials stand
// (headers, URLs, assignments, key files), and what random characters look like.
//
// It never touches what merely looks technical: hashes, ids, digests, paths and
// templates stay, since an agent that reads a summary needs them. It sends and
// stores nothing, and works in linear time whatever the text is.
package redact

import "strings"

// Version changes when the same text may be redacted otherwise than before.
const Version = "1"

// Match is a credential in a text.
type Match struct {
	Start, End int    // byte offsets
	Kind       string // such as "github token"
}

// Text returns s with every credential replaced by "[redacted: KIND]". What is
// left is never changed by a second call.
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

// Find returns the credentials in s, in order and apart.
func Find(s string) []Match {
	sc := scanner{text: s}
	keywords.each(s, sc.hit)
	return sc.found
}

// scanner is one pass over a text. Every place where a keyword ends is looked
// at; what is looked at there is bounded, or remembered for the next place.
type scanner struct {
	text  string
	found []Match
	past  int // the end of the last match: nothing before it is looked at again
	value run // the last unquoted value that was measured
}

// run is a stretch of the text whose end is known.
type run struct{ start, end int }

// hit tries what a keyword announces; it stands in text[start:end].
func (sc *scanner) hit(k *keyword, start, end int) {
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

// named gives a value that stands where credentials stand the kind that its own
// form tells, if any.
func (sc *scanner) named(start, end int, kind string) Match {
	own := scanner{text: sc.text[start:end]}
	formats.each(own.text, own.hit)
	if len(own.found) > 0 {
		kind = own.found[0].Kind
	}
	return Match{start, end, kind}
}
