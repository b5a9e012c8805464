package reference

import "slices"

// counted is a reference with the number of times that a text contains it.
type counted struct {
	text  string
	kind  Kind
	count int
	first int // order of its first appearance
}

// Room is made for a reference for so many bytes of a text, and at first for so many at most.
const (
	bytesPerReference = 40
	mostRoom          = 256
)

// Top returns the n most useful references of text in the order of their appearance. It prefers
// URLs and paths to ids and symbols, these to numbers, and frequent references to rare ones. It
// leaves out those for which skip is true.
func Top(text string, n int, skip func(string) bool) []string {
	if n <= 0 {
		return nil
	}
	room := min(len(text)/bytesPerReference, mostRoom)
	index, refs := make(map[string]int, room), make([]counted, 0, room)
	Each(text, func(word string, kind Kind) {
		if i, ok := index[word]; ok {
			refs[i].count++
			return
		}
		if skip != nil && skip(word) {
			return
		}
		index[word] = len(refs)
		refs = append(refs, counted{text: word, kind: kind, count: 1, first: len(refs)})
	})
	slices.SortStableFunc(refs, func(a, b counted) int { return b.worth() - a.worth() })
	refs = refs[:min(n, len(refs))]
	slices.SortFunc(refs, func(a, b counted) int { return a.first - b.first })
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = r.text
	}
	return words
}

func (r *counted) worth() int { return int(r.kind)*4 + min(r.count, 8) }
