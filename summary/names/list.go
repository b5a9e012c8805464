package names

import (
	"slices"
	"strings"

	"killick/reference"
)

// Words returns the references in a text, in order, with repetitions.
func Words(text string) (words []string) {
	reference.Each(text, func(word string, _ reference.Kind) { words = append(words, word) })
	return words
}

// WordsIn is like Words. What may be a path in dir, which ends with a separator, is there with it,
// too.
func WordsIn(dir, text string) []string {
	words := Words(text)
	for _, word := range words {
		if strings.ContainsAny(word, `./\`) && !reference.Absolute(word) {
			words = append(words, dir+word)
		}
	}
	return words
}

// List returns the most useful references that are in none of the lists beside, in at most this
// number of tokens. later returns the words in the arguments of the calls after the record; it may
// be nil. A reference that is a part of another, as Len is of "list.Len", is not listed again.
func (t *Table) List(later func() []string, tokens int, beside ...[]string) (names []Name) {
	var mayList wordFilter
	for _, f := range t.facts {
		mayList.add(f.hash)
	}
	listed := markedWords{of: &mayList, marked: make(map[string]int32, 256)}
	for _, words := range beside {
		for _, word := range words {
			listed.mark(word)
		}
	}
	numbered, numbers := map[int32]int{}, t.numbers() // by where they stand
	keys := t.worksThroughLists(later)
	names = make([]Name, 0, min(len(t.Names), tokens/usualNameCost))
	for i := range t.Names {
		n := &t.Names[i]
		in, series := n.series()
		if series = series && !(keys && n.Key > 0); series {
			numbered[in]++ // those beside too, such as in the index of an earlier record
		}
		if listed.marked[n.Word] != 0 || series && (numbered[in] > maxNumbered ||
			n.Kind == reference.Number && numbers[in] > reference.MaxNumbers) {
			continue
		}
		if tokens -= listingCost(n.Word); tokens < 0 {
			break
		}
		if n.Kind == reference.Symbol {
			part := n.Word[strings.LastIndexByte(n.Word, '.')+1:]
			if k := listed.marked[part]; k > 0 {
				tokens += listingCost(part)
				names[k-1].Word = ""
			}
		}
		listed.marked[n.Word] = int32(len(names) + 1)
		listed.mark(n.Word)
		name := Name{Word: n.Word, At: int(n.Mentioned)}
		if n.Call >= 0 {
			c := &t.Calls[n.Call]
			name.Of, name.Path, name.At = c.Text, c.Path, c.At
		}
		names = append(names, name)
	}
	return slices.DeleteFunc(names, func(n Name) bool { return n.Word == "" })
}

// worksThroughLists reports whether the assistant wrote names of objects of lists that calls
// returned, before or later. Then it is likely to write the others, and they are no mere series.
func (t *Table) worksThroughLists(later func() []string) bool {
	var written map[string]bool // later; made where it is needed
	used := 0
	for i := range t.Names {
		n := &t.Names[i]
		if n.Key == 0 {
			continue
		}
		if n.Used < 0 && written == nil && later != nil {
			written = map[string]bool{}
			for _, word := range later() {
				written[word] = true
			}
		}
		if n.Used >= 0 || written[n.Word] {
			if used++; used == leastUsedKeys {
				return true
			}
		}
	}
	return false
}

// numbers returns how many numbers that may belong to a series stand in each place.
func (t *Table) numbers() map[int32]int {
	in := map[int32]int{}
	for i := range t.Names {
		if n := &t.Names[i]; n.Kind == reference.Number {
			if at, series := n.series(); series {
				in[at]++
			}
		}
	}
	return in
}

// markedWords records which words of a table are listed, and which occur elsewhere.
type markedWords struct {
	of     *wordFilter      // the table
	marked map[string]int32 // one more than the index in the list; -1 for a word elsewhere
}

// mark marks a word and the names that it contains.
func (m *markedWords) mark(word string) {
	m.markOne(word)
	for i := range len(word) {
		if word[i] == '/' || word[i] == '.' {
			m.markOne(word[i+1:])
			m.markOne(word[:i])
		}
	}
}

func (m *markedWords) markOne(word string) {
	if m.of.mayHold(hashOf(word)) && m.marked[word] == 0 {
		m.marked[word] = -1
	}
}
