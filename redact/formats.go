package redact

import (
	"cmp"
	"slices"
	"strings"
)

// formats finds credentials by their format alone.
var formats = newAutomaton(byKeyword(rules))

// byKeyword groups rules by the shortest literal that they begin with. Of formats with the same
// beginning, the most specific is tried first.
func byKeyword(rules []*rule) (words []*keyword) {
	sorted := slices.Clone(rules)
	slices.SortStableFunc(sorted, func(a, b *rule) int {
		return cmp.Compare(len(a.shape.literal), len(b.shape.literal))
	})
	for _, r := range sorted {
		literal := strings.ToLower(r.shape.literal)
		i := slices.IndexFunc(words, func(k *keyword) bool {
			return strings.HasPrefix(literal, k.text)
		})
		if i < 0 {
			words = append(words, &keyword{text: literal})
			i = len(words) - 1
		}
		words[i].rules = append(words[i].rules, r)
	}
	for _, k := range words {
		slices.SortStableFunc(k.rules, func(a, b *rule) int {
			return cmp.Compare(len(b.shape.literal), len(a.shape.literal))
		})
	}
	return words
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
