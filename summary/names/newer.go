package names

import "killick/reference"

// Reader reads the references of turns into tables. It has buffers for the next turns of the
// conversation, and is not safe for concurrent use. Until they are ranked, the words are substrings
// of the texts that they were read from.
type Reader struct {
	calls []callLine
	names []nameUse
	index map[string]int32 // of names, by word

	unsure []mention // see readUnsure

	facts []wordFacts // of names
	known []bool      // of names: whether the old table has the word
	also  []int32     // for each name of the old table: its index in names plus one, or 0

	order, sortedOrder []ranked
	starts             []int32
}

// ranked is a reference in the order of a table.
type ranked struct {
	worth     int32
	index     int32 // in the old table, or past its end in the newer names
	beginning uint64
}

// at returns the entry of a word that occurs at a place.
func (t *Reader) at(word string, kind reference.Kind, place int32) *nameUse {
	i, ok := t.index[word]
	if !ok {
		i = int32(len(t.names))
		t.index[word] = i
		t.names = append(t.names, nameUse{Word: word, Kind: kind, Call: -1, Used: -1})
	}
	n := &t.names[i]
	n.Seen = max(n.Seen, place)
	return n
}

// maxKept is the size up to which an index is cleared and reused: clearing a larger one would take
// longer than making another.
const maxKept = 4 * maxNames

// reset removes all references and calls.
func (t *Reader) reset() {
	if t.index == nil || len(t.index) > maxKept {
		t.index = make(map[string]int32, maxNames/10)
	}
	clear(t.index)
	t.calls, t.names = t.calls[:0], t.names[:0]
}
