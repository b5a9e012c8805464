package names

import "killick/reference"

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

// maxNumbered limits the names with digits that a call's output showed and that nobody wrote, those
// that stood in one message of a person alone, and those that only messages of the assistant have,
// by the last of them. More of them are mostly members of a series, such as the numbers in a log or
// the rows of a table.
const maxNumbered = 8

// leastUsedKeys is how many names of objects the assistant wrote if it works through a list.
const leastUsedKeys = 2

// Name is a reference that a record lists.
type Name struct {
	Word string `json:"word"`
	Of   string `json:"of,omitempty"`   // the last call that showed it; "" if only messages did
	Path string `json:"path,omitempty"` // the one file that the call names; Of is then its tool
	At   int    `json:"at"`             // the message that makes the call, or that contains it
}

// Table holds the references of the folded turns with their uses, the most useful ones first.
// Places are in tokens from the start of the conversation. A table is never changed once it is
// made, so that forms may share it.
type Table struct {
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
	Key       int32 // 1 if it names an object of a list that a call returned
}

// with returns the sum of the use and a newer one, whose calls follow the given number of calls.
func (n *nameUse) with(newer *nameUse, calls int) nameUse {
	all := *n
	all.Seen = max(n.Seen, newer.Seen)
	all.Asked += newer.Asked
	all.Worked += newer.Worked
	all.Shown += newer.Shown
	all.Key = max(n.Key, newer.Key)
	all.Used, all.Mentioned = max(n.Used, newer.Used), max(n.Mentioned, newer.Mentioned)
	if newer.Call >= 0 {
		all.Call = newer.Call + int32(calls)
	}
	return all
}

// series returns where a reference with digits stands that may belong to a series: in the output of
// a call, or, as a negative number, in a message. ok is false for any other reference.
func (n *nameUse) series() (in int32, ok bool) {
	switch {
	case n.Worked > 0 || !hasDigit(n.Word):
		return 0, false
	case n.Call >= 0:
		return n.Call, n.Asked == 0 && n.Used < 0
	}
	return -n.Mentioned, n.Asked == 0 || n.Asked == 1 && n.Used < 0
}

// worth returns how likely a reference is to be written again, per token of listing it, as a base-2
// logarithm in sixteenths. It excludes the share that follows from the word alone: see worthOf. The
// weights are those of a logistic regression over the references of recorded coding sessions, by
// which of them were written again in the next 60,000 tokens, rounded. docs/tuning.md describes
// the fit and its effect. Only the order matters, so there is no constant term. Integer arithmetic
// makes every machine list the same names.
func (n *nameUse) worth(place int32) int32 {
	w := 17*log2(1+n.Asked) + 8*log2(1+n.Worked) + 2*log2(1+n.Shown) - 5*log2(1+place-n.Seen)
	if n.Used >= 0 {
		w += 20 * 16
	}
	return w
}
