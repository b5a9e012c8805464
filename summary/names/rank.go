package names

import (
	"cmp"
	"slices"
	"strings"
)

// next returns the table of the most useful references of t and of newer turns with their calls,
// ranked as of a place, the best first.
func (t *Table) next(newer *Reader, place int32, most int) *Table {
	newer.match(t)
	both := bothNames{t, newer}
	order := both.ranked(place)
	order = order[:min(len(order), most)]
	next := &Table{
		Calls: make([]callLine, 0, len(t.Calls)+len(newer.calls)),
		Names: make([]nameUse, len(order)), facts: make([]wordFacts, len(order)),
	}
	moved := make([]int32, len(t.Calls)+len(newer.calls)) // where a call is now, plus one
	for i := range order {
		n := &next.Names[i]
		*n, next.facts[i] = both.use(order[i].index), both.facts(order[i].index)
		if int(order[i].index) >= len(t.Names) {
			n.Word = strings.Clone(n.Word) // do not retain the whole output
		}
		if n.Call < 0 {
			continue
		}
		if moved[n.Call] == 0 {
			next.Calls = append(next.Calls, both.call(n.Call))
			moved[n.Call] = int32(len(next.Calls))
		}
		n.Call = moved[n.Call] - 1
	}
	return next
}

// bothNames are the names of a table and those of newer turns that were matched with it. Indexes
// of newer names and calls follow those of the table.
type bothNames struct {
	old   *Table
	newer *Reader
}

// use returns a name with all its uses.
func (b bothNames) use(i int32) nameUse {
	if old := len(b.old.Names); int(i) >= old {
		n := b.newer.names[int(i)-old]
		if n.Call >= 0 {
			n.Call += int32(len(b.old.Calls))
		}
		return n
	}
	if also := b.newer.also[i]; also > 0 {
		return b.old.Names[i].with(&b.newer.names[also-1], len(b.old.Calls))
	}
	return b.old.Names[i]
}

func (b bothNames) word(i int32) string {
	if old := len(b.old.Names); int(i) >= old {
		return b.newer.names[int(i)-old].Word
	}
	return b.old.Names[i].Word
}

func (b bothNames) facts(i int32) wordFacts {
	if old := len(b.old.Names); int(i) >= old {
		return b.newer.facts[int(i)-old]
	}
	return b.old.facts[i]
}

func (b bothNames) call(i int32) callLine {
	if old := len(b.old.Calls); int(i) >= old {
		return b.newer.calls[int(i)-old]
	}
	return b.old.Calls[i]
}

// ranked returns all names, the most useful as of a place first. The list is newer's.
func (b bothNames) ranked(place int32) []ranked {
	order, facts := b.newer.order[:0], b.old.facts
	for i := range b.old.Names {
		w := facts[i].worth
		if b.newer.also[i] == 0 {
			w += b.old.Names[i].worth(place)
		} else {
			n := b.use(int32(i))
			w += n.worth(place)
		}
		order = append(order, ranked{w, int32(i), facts[i].beginning})
	}
	for i := range b.newer.names {
		if f := &b.newer.facts[i]; !b.newer.known[i] {
			w := f.worth + b.newer.names[i].worth(place)
			order = append(order, ranked{w, int32(len(b.old.Names) + i), f.beginning})
		}
	}
	b.newer.order = order
	return b.newer.sorted(order, b.word)
}

// match finds the newer names that are in a table already.
func (t *Reader) match(table *Table) {
	t.facts, t.known = t.facts[:0], slices.Grow(t.known[:0], len(t.names))[:len(t.names)]
	t.also = slices.Grow(t.also[:0], len(table.Names))[:len(table.Names)]
	clear(t.known)
	clear(t.also)
	var newer wordFilter
	for i := range t.names {
		f := factsOf(t.names[i].Word, t.names[i].Kind)
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

// sorted returns references, the most useful first. It sorts by counting, since worths are small
// numbers. word returns the word of a reference; all words differ.
func (t *Reader) sorted(list []ranked, word func(index int32) string) []ranked {
	if len(list) == 0 {
		return list
	}
	least, most := list[0].worth, list[0].worth
	for i := range list {
		least, most = min(least, list[i].worth), max(most, list[i].worth)
	}
	size := int(most-least) + 2
	t.starts = slices.Grow(t.starts[:0], size)[:size] // indexed by how far a worth is below most
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
