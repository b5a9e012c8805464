package reference

import (
	"cmp"
	"slices"
)

// counted is a reference with the number of times that a text contains it.
type counted struct {
	text  string
	kind  Kind
	count int
	first int // order of its first appearance
}

// The initial capacity for the references of a text.
const (
	bytesPerReference = 40  // one reference for this many bytes
	maxRoom           = 256 // references at most
)

// Top returns the n most useful references in text, in the order of their appearance. It prefers
// URLs and paths to ids and symbols, ids and symbols to numbers, and frequent references to rare
// ones. It leaves out references for which skip is true, and ids past the most useful ones.
func Top(text string, n int, skip func(string) bool) []string {
	if n <= 0 {
		return nil
	}
	refs := countOf(In(text), len(text), skip)
	slices.SortStableFunc(refs, func(a, b counted) int { return b.worth() - a.worth() })
	ids := 0
	refs = slices.DeleteFunc(refs, func(r counted) bool {
		if r.kind == ID {
			ids++
		}
		return r.kind == ID && ids > maxIDs
	})
	return inOrder(refs[:min(n, len(refs))])
}

// MaxNumbers is how many numbers of a text may be references to something. More of them are mostly
// a series, such as the prices in a table, and none of these is listed.
const MaxNumbers = 8

// maxIDs is how many ids of a text are listed. More of them are mostly ids of rows, which say
// nothing without the rows.
const maxIDs = 8

// Finder calls yield with references, as [Each] does with those of a text.
type Finder func(yield func(word string, kind Kind))

// In returns the references in a text.
func In(text string) Finder {
	return func(yield func(word string, kind Kind)) { Each(text, yield) }
}

// Fitting is like [Top] for the references of a text of size bytes, but returns those that are most
// useful per byte, as many as fit into room bytes.
func Fitting(of Finder, size, room int, skip func(string) bool) []string {
	refs := countOf(of, size, skip)
	slices.SortStableFunc(refs, func(a, b counted) int {
		return cmp.Compare(b.worth()*a.bytes(), a.worth()*b.bytes())
	})
	n := 0
	for n < len(refs) && refs[n].bytes() <= room {
		room -= refs[n].bytes()
		n++
	}
	return inOrder(refs[:n])
}

// countOf returns the references of a text of size bytes, each with how often it occurs, except
// those that skip excludes and numbers of a series.
func countOf(of Finder, size int, skip func(string) bool) []counted {
	room := min(size/bytesPerReference, maxRoom)
	index, refs, numbers := make(map[string]int, room), make([]counted, 0, room), 0
	of(func(word string, kind Kind) {
		if i, ok := index[word]; ok {
			refs[i].count++
			return
		}
		if skip != nil && skip(word) {
			return
		}
		index[word] = len(refs)
		refs = append(refs, counted{text: word, kind: kind, count: 1, first: len(refs)})
		if kind == Number {
			numbers++
		}
	})
	if numbers > MaxNumbers {
		refs = slices.DeleteFunc(refs, func(r counted) bool { return r.kind == Number })
	}
	return refs
}

// inOrder returns references in the order of their appearance.
func inOrder(refs []counted) []string {
	slices.SortFunc(refs, func(a, b counted) int { return a.first - b.first })
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = r.text
	}
	return words
}

func (r *counted) worth() int { return int(r.kind)*4 + min(r.count, 8) }

// bytes returns the length of a reference in a list, with its separator.
func (r *counted) bytes() int { return len(r.text) + len(", ") }
