// Package redact finds credentials in text and removes them. It knows the published formats of keys
// and tokens, the places where credentials appear (headers, URLs, assignments, key files), and what
// random characters look like.
//
// It never removes what merely looks technical: hashes, ids, digests, paths and templates stay,
// because an agent that reads a summary needs them. It sends and stores nothing, and takes linear
// time for any text.
package redact

import (
	"slices"
	"strings"
)

// Version changes when the same text may be redacted differently.
const Version = "3"

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

// keywords finds credentials by their format and by their context.
var keywords = newAutomaton(slices.Concat(byKeyword(rules), contexts, signatures))

// Find returns the credentials in s, in order and without overlaps.
func Find(s string) []Match {
	sc := scanner{text: s}
	keywords.each(s, sc.try)
	return sc.found
}
