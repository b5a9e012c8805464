package summary

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"killick/reference"
	"killick/transcript"
	"killick/view"
)

// The index of names: agents reuse names from outputs that are no longer sent. Every reference in
// the folded turns is weighed by its uses so far; a record lists those most likely to be needed
// again per token of their length, under the last call that showed each.

// maxNames limits how many references a checkpoint stores: those most worth listing.
const maxNames = 1500

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
	Call      int
	Mentioned int // the last message that contains it
	Asked     int // how often the user wrote it
	Worked    int // how often it was the path of a call
	Shown     int // how often outputs contained it
	Seen      int // where it occurred last
	Used      int // where the assistant last wrote it, -1 if never
}

// newNames are the references of turns that are being read.
type newNames struct {
	NameTable
	index map[string]int // of Names, by word
}

// at returns the entry of a word that occurs at a place.
func (t *newNames) at(word string, kind reference.Kind, place int) *nameUse {
	i, ok := t.index[word]
	if !ok {
		i = len(t.Names)
		word = strings.Clone(word) // do not retain the whole output
		t.index[word] = i
		t.Names = append(t.Names, nameUse{Word: word, Kind: kind, Call: -1, Used: -1})
	}
	n := &t.Names[i]
	n.Seen = max(n.Seen, place)
	return n
}

// with returns all uses: those of the table and those in newer turns.
func (t *NameTable) with(newer *newNames) (names []nameUse, calls []callLine) {
	calls = slices.Concat(t.Calls, newer.Calls)
	names = make([]nameUse, len(t.Names), len(t.Names)+len(newer.Names))
	copy(names, t.Names)
	known := make([]bool, len(newer.Names))
	for i := range names {
		n := &names[i]
		at, again := newer.index[n.Word]
		if !again {
			continue
		}
		known[at] = true
		u := &newer.Names[at]
		n.Seen = max(n.Seen, u.Seen)
		n.Asked += u.Asked
		n.Worked += u.Worked
		n.Shown += u.Shown
		n.Used, n.Mentioned = max(n.Used, u.Used), max(n.Mentioned, u.Mentioned)
		if u.Call >= 0 {
			n.Call = u.Call + len(t.Calls)
		}
	}
	for i := range newer.Names {
		if known[i] {
			continue
		}
		u := newer.Names[i]
		if u.Call >= 0 {
			u.Call += len(t.Calls)
		}
		names = append(names, u)
	}
	return names, calls
}

// rank returns the table of the references that are most worth listing at a place, the best first,
// with their calls.
func rank(names []nameUse, calls []callLine, place int) *NameTable {
	type ranked struct {
		worth, index int
		word         uint64 // the beginning of the word, which decides most ties
	}
	order := make([]ranked, len(names))
	for i := range names {
		order[i] = ranked{names[i].worth(place), i, beginning(names[i].Word)}
	}
	slices.SortFunc(order, func(a, b ranked) int {
		if a.worth != b.worth {
			return b.worth - a.worth
		}
		if a.word != b.word {
			return cmp.Compare(a.word, b.word)
		}
		return strings.Compare(names[a.index].Word, names[b.index].Word) // no two are the same
	})
	t := &NameTable{
		Calls: make([]callLine, 0, len(calls)),
		Names: make([]nameUse, min(len(order), maxNames)),
	}
	moved := make([]int, len(calls)) // where a call is now, plus one
	for i := range t.Names {
		n := &t.Names[i]
		if *n = names[order[i].index]; n.Call < 0 {
			continue
		}
		if moved[n.Call] == 0 {
			t.Calls = append(t.Calls, calls[n.Call])
			moved[n.Call] = len(t.Calls)
		}
		n.Call = moved[n.Call] - 1
	}
	return t
}

// beginning returns the first eight bytes of a word as a number that sorts as they do.
func beginning(word string) (n uint64) {
	for i := range min(len(word), 8) {
		n |= uint64(word[i]) << (56 - 8*i)
	}
	return n
}

// worth returns how likely a reference is to be typed again, per token that listing it takes, as a
// base-2 logarithm in sixteenths. The weights are those of a logistic regression over the
// references of recorded coding sessions, which of them were typed again in the 60,000 tokens that
// followed, rounded. docs/benchmarks.md describes the fit and its effect. Only the order matters,
// so there is no constant term. Integer arithmetic makes every machine list the same names.
func (n *nameUse) worth(place int) int {
	w := 17*log2(1+n.Asked) + 8*log2(1+n.Worked) + 2*log2(1+n.Shown) - 5*log2(1+place-n.Seen) -
		5*log2(1+listingCost(n.Word))
	if n.Used >= 0 {
		w += 20 * 16
	}
	if n.Kind == reference.Number {
		w -= 50 * 16
	} else if strings.ContainsAny(n.Word, "0123456789") {
		w -= 9 * 16
	}
	return w
}

// listingCost estimates the tokens that a reference takes: one per three bytes or so, and the space
// before it.
func listingCost(word string) int { return 1 + len(word)*5/16 }

// log2 returns the base-2 logarithm of n in sixteenths, rounded down, with linear interpolation
// between powers of two; 0 for less than 1.
func log2(n int) int {
	if n < 1 {
		return 0
	}
	power := bits.Len(uint(n)) - 1
	return 16*power + (n<<4)>>power - 16
}

// List returns the references most worth listing that text does not contain yet, in at most this
// number of tokens. One that is part of another, as a method is of "list.Len", is listed with that.
func (t *NameTable) List(tokens int, text string) (names []Name) {
	listed := map[string]bool{}
	at := map[string]int{} // of names, by word
	reference.Each(text, func(word string, _ reference.Kind) { markListed(listed, word) })
	for i := range t.Names {
		n := &t.Names[i]
		if listed[n.Word] {
			continue
		}
		if tokens -= listingCost(n.Word); tokens < 0 {
			break
		}
		part := n.Word[strings.LastIndexByte(n.Word, '.')+1:]
		if k, is := at[part]; is && n.Kind == reference.Symbol {
			tokens += listingCost(part)
			names[k].Word = ""
		}
		markListed(listed, n.Word)
		at[n.Word] = len(names)
		name := Name{Word: n.Word, At: n.Mentioned}
		if n.Call >= 0 {
			c := &t.Calls[n.Call]
			name.Of, name.Path, name.At = c.Text, c.Path, c.At
		}
		names = append(names, name)
	}
	return slices.DeleteFunc(names, func(n Name) bool { return n.Word == "" })
}

// markListed marks a word as listed, and with it the names that it is made of.
func markListed(listed map[string]bool, word string) {
	listed[word] = true
	for i := range len(word) {
		if word[i] == '/' || word[i] == '.' {
			listed[word[i+1:]], listed[word[:i]] = true, true
		}
	}
}

// Names reads the references in the turns [from, to) and returns the table of them and those of the
// turns before, nil for none, ranked for a record of all. calls are those made in the turns.
func Names(s *Source, known *NameTable, calls []transcript.Call, from, to int) *NameTable {
	if known == nil {
		known = &NameTable{}
	}
	names, all := known.with(readNames(s, calls, from, to))
	return rank(names, all, s.PlaceOf(to))
}

func readNames(s *Source, calls []transcript.Call, from, to int) *newNames {
	t := &newNames{index: map[string]int{}}
	for i := from; i < to; i++ {
		switch s.Messages[i].Role() {
		case view.Assistant:
			t.readText(s, i, false)
		case view.User:
			t.readText(s, i, s.Message(i).Speaker == transcript.Person)
		}
	}
	for c := range calls {
		t.readCall(s, &calls[c], to)
	}
	return t
}

// readText reads the references in a message of the assistant or a person.
func (t *newNames) readText(s *Source, i int, asked bool) {
	place := s.PlaceOf(i)
	reference.Each(s.safeWords(i), func(word string, kind reference.Kind) {
		n := t.at(word, kind, place)
		n.Mentioned = i + 1
		if asked {
			n.Asked++
		} else {
			n.Used = place
		}
	})
}

// readCall reads the references in a call and its result.
func (t *newNames) readCall(s *Source, c *transcript.Call, to int) {
	at, shows := s.PlaceOf(c.Caller), len(t.Calls)
	made := callLine{At: c.Caller + 1, Text: s.Redacted(describeWords(c, indexedCall))}
	if len(c.Paths) == 1 && c.Command == "" {
		made.Text, made.Path = toolName(c.Name), s.Redacted(c.Paths[0].Name)
	}
	t.Calls = append(t.Calls, made)
	if c.SetsTodos() {
		return // its items are in the record
	}
	reference.Each(s.Redacted(c.Texts()), func(word string, kind reference.Kind) {
		n := t.at(word, kind, at)
		n.Used, n.Call = at, shows
	})
	for i := range c.Paths {
		reference.Each(c.Paths[i].Name, func(word string, kind reference.Kind) {
			t.at(word, kind, at).Worked++
		})
	}
	if c.Result < 0 || c.Result >= to {
		return
	}
	at = s.PlaceOf(c.Result)
	reference.Each(s.SafeOutput(c.Result),
		func(word string, kind reference.Kind) {
			n := t.at(word, kind, at)
			n.Shown++
			n.Call = shows
		})
}
