package summary

import (
	"math/bits"
	"slices"
	"strings"

	"killick/reference"
)

// The index of names: agents reuse names from outputs that are no longer sent. Every reference in
// the folded turns is weighed by its uses so far; a record lists those most likely to be needed
// again per token of their length, under the last call that showed each.

// A checkpoint stores the references that are most worth listing: as many as the room of the index
// would hold if each took leastNameCost tokens, at most maxNames.
const (
	maxNames      = 1500
	leastNameCost = 2
)

// indexedCall limits the description of a call in the index, in bytes.
const indexedCall = 64

// Name is a reference that a record lists.
type Name struct {
	Word string `json:"word"`
	Of   string `json:"of,omitempty"`   // the last call that showed it; "" if only messages did
	Path string `json:"path,omitempty"` // the one file that the call names; Of is then its tool
	At   int    `json:"at"`             // the message that makes the call, or that contains it
}

// NameTable holds the references of the folded turns with their uses, those most worth listing
// first. Places are in tokens from the start of the conversation. Nobody changes a table once it is
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

// with returns the use together with a newer one, which counts calls from an index on.
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

// worth returns how likely a reference is to be typed again, per token that listing it takes, as a
// base-2 logarithm in sixteenths, without the share that follows from its word alone. The weights
// are those of a logistic regression over the references of recorded coding sessions, which of them
// were typed again in the 60,000 tokens that followed, rounded. docs/benchmarks.md describes the
// fit and its effect. Only the order matters, so there is no constant term. Integer arithmetic
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

// listingCost estimates the tokens that a reference takes: one per three bytes or so, and the space
// before it.
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

// Words returns the references in a text, in order.
func Words(text string) (words []string) {
	reference.Each(text, func(word string, _ reference.Kind) { words = append(words, word) })
	return words
}

// List returns the references most worth listing that are in none of some lists of words, in at
// most this number of tokens. One that is part of another, as a method is of "list.Len", is listed
// with that.
func (t *NameTable) List(tokens int, beside ...[]string) (names []Name) {
	var mayList wordFilter
	for _, f := range t.facts {
		mayList.add(f.hash)
	}
	listed := markedWords{of: &mayList, marked: make(map[string]bool, 256)}
	at := make(map[string]int, 256) // of names, by word
	for _, words := range beside {
		for _, word := range words {
			listed.mark(word)
		}
	}
	for i := range t.Names {
		n := &t.Names[i]
		if listed.marked[n.Word] {
			continue
		}
		if tokens -= listingCost(n.Word); tokens < 0 {
			break
		}
		if dot := strings.LastIndexByte(n.Word, '.'); dot >= 0 && n.Kind == reference.Symbol {
			part := n.Word[dot+1:]
			if k, is := at[part]; is {
				tokens += listingCost(part)
				names[k].Word = ""
			}
		}
		listed.mark(n.Word)
		at[n.Word] = len(names)
		name := Name{Word: n.Word, At: int(n.Mentioned)}
		if n.Call >= 0 {
			c := &t.Calls[n.Call]
			name.Of, name.Path, name.At = c.Text, c.Path, c.At
		}
		names = append(names, name)
	}
	return slices.DeleteFunc(names, func(n Name) bool { return n.Word == "" })
}

// markedWords are those of a list of words that occur.
type markedWords struct {
	of     *wordFilter // the list
	marked map[string]bool
}

// mark marks a word, and with it the names that it is made of.
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
	if m.of.mayHold(hashOf(word)) {
		m.marked[word] = true
	}
}
