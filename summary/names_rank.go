package summary

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// Ranking is done at each fold over the whole table, so what follows from a word alone is kept
// with it, and names are compared by numbers as far as these decide.

// wordFacts is what follows from the word of a reference alone.
type wordFacts struct {
	beginning uint64 // what sorts as its first eight bytes do
	worth     int32  // its share of the reference's worth
	hash      uint32
}

func factsOf(n *nameUse) wordFacts {
	return wordFacts{beginning(n.Word), worthOf(n.Word, n.Kind), hashOf(n.Word)}
}

// beginning returns the first eight bytes of a word as a number that sorts as they do.
func beginning(word string) (n uint64) {
	if len(word) >= 8 {
		w := word[:8]
		return uint64(w[7]) | uint64(w[6])<<8 | uint64(w[5])<<16 | uint64(w[4])<<24 |
			uint64(w[3])<<32 | uint64(w[2])<<40 | uint64(w[1])<<48 | uint64(w[0])<<56
	}
	for i := range len(word) {
		n |= uint64(word[i]) << (56 - 8*i)
	}
	return n
}

// hashOf returns a hash of the ends of a word and of its length.
func hashOf(word string) uint32 {
	const odd, other = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	first, last := beginning(word), beginning(word[max(0, len(word)-8):])
	high, low := bits.Mul64(first^odd, bits.RotateLeft64(last, 17)^uint64(len(word))*other)
	return uint32((high ^ low) >> 32)
}

// wordFilter holds hashes of words. It may hold those of others too.
type wordFilter [filterBits / 64]uint64

const filterBits = 1 << 15

func (f *wordFilter) add(hash uint32) {
	hash %= filterBits
	f[hash/64] |= 1 << (hash % 64)
}

func (f *wordFilter) mayHold(hash uint32) bool {
	hash %= filterBits
	return f[hash/64]&(1<<(hash%64)) != 0
}

// ranked is a reference in the order of a table.
type ranked struct {
	worth     int32
	index     int32 // in the table before, or behind that in the newer names
	beginning uint64
}

// next returns the table of all references, of t and of newer turns, ranked at a place, with their
// calls: as many as it may hold, those most worth listing, the best first.
func (t *NameTable) next(newer *newNames, place int32, most int) *NameTable {
	old := len(t.Names)
	newer.match(t)
	use := func(i int32) nameUse {
		if int(i) >= old {
			n := newer.Names[int(i)-old]
			if n.Call >= 0 {
				n.Call += int32(len(t.Calls))
			}
			return n
		}
		if also := newer.also[i]; also > 0 {
			return t.Names[i].with(&newer.Names[also-1], len(t.Calls))
		}
		return t.Names[i]
	}
	order, facts := newer.order[:0], t.facts
	for i := range t.Names {
		w := facts[i].worth
		if newer.also[i] == 0 {
			w += t.Names[i].worth(place)
		} else {
			n := use(int32(i))
			w += n.worth(place)
		}
		order = append(order, ranked{w, int32(i), facts[i].beginning})
	}
	for i := range newer.Names {
		if f := &newer.facts[i]; !newer.known[i] {
			w := f.worth + newer.Names[i].worth(place)
			order = append(order, ranked{w, int32(old + i), f.beginning})
		}
	}
	newer.order = order
	order = newer.sorted(order, func(i int32) string {
		if int(i) < old {
			return t.Names[i].Word
		}
		return newer.Names[int(i)-old].Word
	})
	order = order[:min(len(order), most)]
	next := &NameTable{
		Calls: make([]callLine, 0, len(t.Calls)+len(newer.Calls)),
		Names: make([]nameUse, len(order)), facts: make([]wordFacts, len(order)),
	}
	moved := make([]int32, len(t.Calls)+len(newer.Calls)) // where a call is now, plus one
	for i := range order {
		from, n := order[i].index, &next.Names[i]
		*n = use(from)
		if int(from) < old {
			next.facts[i] = facts[from]
		} else {
			next.facts[i] = newer.facts[int(from)-old]
			n.Word = strings.Clone(n.Word) // do not retain the whole output
		}
		if n.Call < 0 {
			continue
		}
		if moved[n.Call] == 0 {
			if c := int(n.Call); c < len(t.Calls) {
				next.Calls = append(next.Calls, t.Calls[c])
			} else {
				next.Calls = append(next.Calls, newer.Calls[c-len(t.Calls)])
			}
			moved[n.Call] = int32(len(next.Calls))
		}
		n.Call = moved[n.Call] - 1
	}
	return next
}

// match finds the newer names that a table has already.
func (t *newNames) match(table *NameTable) {
	t.facts, t.known = t.facts[:0], slices.Grow(t.known[:0], len(t.Names))[:len(t.Names)]
	t.also = slices.Grow(t.also[:0], len(table.Names))[:len(table.Names)]
	clear(t.known)
	clear(t.also)
	var newer wordFilter
	for i := range t.Names {
		f := factsOf(&t.Names[i])
		t.facts = append(t.facts, f)
		newer.add(f.hash)
	}
	for i := range table.Names {
		if !newer.mayHold(table.facts[i].hash) {
			continue
		}
		if at, again := t.index[table.Names[i].Word]; again {
			t.known[at], t.also[i] = true, at+1
		}
	}
}

// sorted returns references in their order, the most worth listing first: by counting, as worths
// are small numbers. word returns that of a reference; no two are the same.
func (t *newNames) sorted(list []ranked, word func(index int32) string) []ranked {
	if len(list) == 0 {
		return list
	}
	least, most := list[0].worth, list[0].worth
	for i := range list {
		least, most = min(least, list[i].worth), max(most, list[i].worth)
	}
	size := int(most-least) + 2
	t.starts = slices.Grow(t.starts[:0], size)[:size] // by how much less than most a worth is
	clear(t.starts)
	for i := range list {
		t.starts[most-list[i].worth+1]++
	}
	for i := 1; i < size; i++ {
		t.starts[i] += t.starts[i-1]
	}
	t.sortedOrder = slices.Grow(t.sortedOrder[:0], len(list))[:len(list)]
	for i := range list {
		at := &t.starts[most-list[i].worth]
		t.sortedOrder[*at] = list[i]
		*at++
	}
	from := 0
	for _, end := range t.starts[:size-1] {
		if equal := t.sortedOrder[from:end]; len(equal) > 1 {
			slices.SortFunc(equal, func(a, b ranked) int {
				if a.beginning != b.beginning {
					return cmp.Compare(a.beginning, b.beginning)
				}
				return strings.Compare(word(a.index), word(b.index))
			})
		}
		from = int(end)
	}
	return t.sortedOrder
}
