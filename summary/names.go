package summary

import (
	"math/bits"
	"slices"
	"strings"

	"killick/reference"
)

// Agents reuse names from outputs that are no longer sent, so a record has an index of names. Every
// reference in the folded turns is weighed by its uses so far. The index lists the references that
// are most likely to be needed again, per token, each under the last call that showed it.

// A checkpoint stores the most useful references: as many as the room of the index would hold if
// each took leastNameCost tokens, at most maxNames.
const (
	maxNames      = 1500
	leastNameCost = 2
	usualNameCost = 5
)

// indexedCall limits the description of a call in the index, in bytes.
const indexedCall = 64

// maxNumbered limits the names with digits that a call's output showed and that nobody wrote, and
// those that stood in one message of a person alone. More of them are mostly members of a series,
// such as the numbers in a log or the rows of a table.
const maxNumbered = 8

// Name is a reference that a record lists.
type Name struct {
	Word string `json:"word"`
	Of   string `json:"of,omitempty"`   // the last call that showed it; "" if only messages did
	Path string `json:"path,omitempty"` // the one file that the call names; Of is then its tool
	At   int    `json:"at"`             // the message that makes the call, or that contains it
}

// NameTable holds the references of the folded turns with their uses, the most useful ones first.
// Places are in tokens from the start of the conversation. A table is never changed once it is
// made, so that forms may share it.
type NameTable struct {
	Calls []callLine
	Names []nameUse

	facts []wordFacts // of Names
}

type callLine struct {
	At   int // the message that makes the call
	Text string
	Path string // the only file that it names, in place of Text's arguments
}

// nameUse counts how a reference was used.
type nameUse struct {
	Word string
	Kind reference.Kind
	// the last call that showed it, -1 if it occurred only in messages
	Call      int32
	Mentioned int32 // the last message that contains it
	Asked     int32 // how often the user wrote it
	Worked    int32 // how often it was the path of a call
	Shown     int32 // how often outputs contained it
	Seen      int32 // where it occurred last
	Used      int32 // where the assistant last wrote it, -1 if never
}

// with returns the sum of the use and a newer one, whose calls follow the given number of calls.
func (n *nameUse) with(newer *nameUse, calls int) nameUse {
	all := *n
	all.Seen = max(n.Seen, newer.Seen)
	all.Asked += newer.Asked
	all.Worked += newer.Worked
	all.Shown += newer.Shown
	all.Used, all.Mentioned = max(n.Used, newer.Used), max(n.Mentioned, newer.Mentioned)
	if newer.Call >= 0 {
		all.Call = newer.Call + int32(calls)
	}
	return all
}

// series returns where a reference with digits stands that may belong to a series: in the output of
// a call, or, as a negative number, in a message of a person. ok is false for any other reference.
func (n *nameUse) series() (in int32, ok bool) {
	switch {
	case n.Worked > 0 || n.Used >= 0 || !hasDigit(n.Word):
		return 0, false
	case n.Call >= 0:
		return n.Call, n.Asked == 0
	}
	return -n.Mentioned, n.Asked == 1
}

// worth returns how likely a reference is to be written again, per token of listing it, as a base-2
// logarithm in sixteenths. It excludes the share that follows from the word alone: see worthOf. The
// weights are those of a logistic regression over the references of recorded coding sessions, by
// which of them were written again in the next 60,000 tokens, rounded. docs/benchmarks.md describes
// the fit and its effect. Only the order matters, so there is no constant term. Integer arithmetic
// makes every machine list the same names.
func (n *nameUse) worth(place int32) int32 {
	w := 17*log2(1+n.Asked) + 8*log2(1+n.Worked) + 2*log2(1+n.Shown) - 5*log2(1+place-n.Seen)
	if n.Used >= 0 {
		w += 20 * 16
	}
	return w
}

// worthOf returns the share of a reference's worth that follows from its word alone.
func worthOf(word string, kind reference.Kind) int32 {
	w := -5 * log2(1+int32(listingCost(word)))
	if kind == reference.Number {
		w -= 50 * 16
	} else if hasDigit(word) {
		w -= 9 * 16
	}
	return w
}

func hasDigit(word string) bool {
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			return true
		}
	}
	return false
}

// listingCost estimates the tokens that a reference takes in a list: about one for every three
// bytes, and one for the space.
func listingCost(word string) int { return 1 + len(word)*5/16 }

// log2 returns the base-2 logarithm of n in sixteenths, rounded down, with linear interpolation
// between powers of two; 0 for less than 1.
func log2(n int32) int32 {
	if n < 1 {
		return 0
	}
	power := bits.Len32(uint32(n)) - 1
	return int32(16*power) + int32((int64(n)<<4)>>power) - 16
}

// Words returns the references in a text, in order, with repetitions.
func Words(text string) (words []string) {
	reference.Each(text, func(word string, _ reference.Kind) { words = append(words, word) })
	return words
}

// List returns the most useful references that are in none of the lists beside, in at most this
// number of tokens. A reference that is a part of another, as Len is of "list.Len", is not listed
// again.
func (t *NameTable) List(tokens int, beside ...[]string) (names []Name) {
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
	numbered := map[int32]int{} // by where they stand
	names = make([]Name, 0, min(len(t.Names), tokens/usualNameCost))
	for i := range t.Names {
		n := &t.Names[i]
		in, series := n.series()
		if series {
			numbered[in]++ // those beside too, such as in the index of an earlier record
		}
		if listed.marked[n.Word] != 0 || series && numbered[in] > maxNumbered {
			continue
		}
		if tokens -= listingCost(n.Word); tokens < 0 {
			break
		}
		if dot := strings.LastIndexByte(n.Word, '.'); dot >= 0 && n.Kind == reference.Symbol {
			part := n.Word[dot+1:]
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
