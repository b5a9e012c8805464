package summary

import (
	"cmp"
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"killick/chat"
	"killick/reference"
	"killick/transcript"
)

// The index of names: agents type again what stood in outputs long gone. Every
// reference of the folded turns is weighed by how it was used so far; a record
// lists those that are most likely to be needed again for their tokens, under the
// last call that showed each.

// maxNames bounds how many references a checkpoint remembers: those best worth
// listing.
const maxNames = 1500

// indexedCall bounds a call in the index, in bytes.
const indexedCall = 64

// Name is a reference as a record lists it.
type Name struct {
	Word string `json:"word"`
	Of   string `json:"of,omitempty"`   // the last call that showed it; "" for what was only said
	Path string `json:"path,omitempty"` // the one file that the call names; Of is then its tool
	At   int    `json:"at"`             // the message that makes the call, or that said it
}

// NameTable is what is known of the references of the folded turns. Places are in
// tokens from the start of the conversation.
type NameTable struct {
	Calls []callLine `json:"calls"`
	Names []nameUse  `json:"names"`
	index map[string]int
}

type callLine struct {
	At   int    `json:"at"` // the message that makes the call
	Text string `json:"text"`
	Path string `json:"path,omitempty"` // the one file that it names, in place of Text's arguments
}

// nameUse is how a reference was used.
type nameUse struct {
	Word string         `json:"w"`
	Kind reference.Kind `json:"k"`
	// the last call that showed it, -1 for what was only said
	Call   int `json:"c"`
	Said   int `json:"m,omitempty"` // the message that said it last
	Asked  int `json:"a,omitempty"` // times that the user said it
	Worked int `json:"p,omitempty"` // times that it was the path of a call
	Shown  int `json:"s,omitempty"` // times that it stood in outputs
	Seen   int `json:"l"`           // where it stood last
	Used   int `json:"u"`           // where the assistant wrote it last, -1 if it never did
}

func newNameTable() *NameTable { return &NameTable{index: map[string]int{}} }

// DecodeNames reads the table of a checkpoint. What cannot be read is nothing:
// the index is then of the newer turns alone.
func DecodeNames(stored json.RawMessage) *NameTable {
	t := newNameTable()
	if len(stored) == 0 || json.Unmarshal(stored, t) != nil {
		return newNameTable()
	}
	for i := range t.Names {
		if c := t.Names[i].Call; c < -1 || c >= len(t.Calls) {
			return newNameTable()
		}
		t.index[t.Names[i].Word] = i
	}
	return t
}

// at returns the use of a word that stands at a place.
func (t *NameTable) at(word string, kind reference.Kind, place int) *nameUse {
	i, ok := t.index[word]
	if !ok {
		i = len(t.Names)
		word = strings.Clone(word) // not the whole output that it stands in
		t.index[word] = i
		t.Names = append(t.Names, nameUse{Word: word, Kind: kind, Call: -1, Used: -1})
	}
	n := &t.Names[i]
	n.Seen = max(n.Seen, place)
	return n
}

// Add takes in the uses of newer turns.
func (t *NameTable) Add(newer *NameTable) {
	shift := len(t.Calls)
	t.Calls = append(t.Calls, newer.Calls...)
	for i := range newer.Names {
		u := &newer.Names[i]
		n := t.at(u.Word, u.Kind, u.Seen)
		n.Asked += u.Asked
		n.Worked += u.Worked
		n.Shown += u.Shown
		n.Used, n.Said = max(n.Used, u.Used), max(n.Said, u.Said)
		if u.Call >= 0 {
			n.Call = u.Call + shift
		}
	}
}

// Rank sorts the table by what listing each reference is worth at a place, the
// best first, and forgets what is beyond maxNames and the calls of none.
func (t *NameTable) Rank(place int) {
	slices.SortStableFunc(t.Names, func(a, b nameUse) int {
		return cmp.Or(b.worth(place)-a.worth(place), strings.Compare(a.Word, b.Word))
	})
	t.Names = t.Names[:min(len(t.Names), maxNames)]
	clear(t.index)
	calls := make([]callLine, 0, len(t.Calls))
	moved := map[int]int{}
	for i := range t.Names {
		n := &t.Names[i]
		t.index[n.Word] = i
		if n.Call < 0 {
			continue
		}
		to, ok := moved[n.Call]
		if !ok {
			to = len(calls)
			calls = append(calls, t.Calls[n.Call])
			moved[n.Call] = to
		}
		n.Call = to
	}
	t.Calls = calls
}

// worth says how likely a reference is to be typed again, for each token that
// listing it takes: a logarithm to the base 2, in sixteenths. The weights are
// those of a logistic regression over the references of recorded coding sessions,
// which of them were typed again in the 60,000 tokens that followed, rounded.
// docs/benchmarks.md says how it was fitted and what it brings. Only the order
// counts, so there is no constant term. It is integer arithmetic: every machine
// lists the same names.
func (n *nameUse) worth(place int) int {
	w := 16*log2(1+n.Asked) + 10*log2(1+n.Worked) + 4*log2(1+n.Shown) - 4*log2(1+place-n.Seen)
	if n.Used >= 0 {
		w -= 8 * log2(1+place-n.Used)
	} else {
		w -= 8 * log2(neverUsed)
	}
	switch n.Kind {
	case reference.Number:
		w -= 43 * 16
	case reference.ID:
		w -= 11 * 16
	}
	return w/16 - log2(1+listed(n.Word))
}

// neverUsed is how long ago, in tokens, a reference that the assistant never
// wrote counts as written.
const neverUsed = 160_000

// listed is about how many tokens a reference takes: a little more than three
// bytes each, and the space before it.
func listed(word string) int { return 1 + len(word)*5/16 }

// log2 is the logarithm of n to the base 2 in sixteenths, rounded down between
// powers of two along a straight line; 0 for less than 1.
func log2(n int) int {
	if n < 1 {
		return 0
	}
	power := bits.Len(uint(n)) - 1
	return 16*power + (n<<4)>>power - 16
}

// List returns the references best worth listing beside what a text tells already,
// in at most so many tokens. The table must be ranked.
func (t *NameTable) List(tokens int, text string) (names []Name) {
	told := map[string]bool{}
	reference.Each(text, func(word string, _ reference.Kind) { tell(told, word) })
	for i := range t.Names {
		n := &t.Names[i]
		if told[n.Word] {
			continue
		}
		if tokens -= listed(n.Word); tokens < 0 {
			break
		}
		tell(told, n.Word)
		name := Name{Word: n.Word, At: n.Said}
		if n.Call >= 0 {
			c := &t.Calls[n.Call]
			name.Of, name.Path, name.At = c.Text, c.Path, c.At
		}
		names = append(names, name)
	}
	return names
}

// tell notes that a word is told, and with a path the names and folders in it.
func tell(told map[string]bool, word string) {
	told[word] = true
	for i := range len(word) {
		if word[i] == '/' {
			told[word[i+1:]], told[word[:i]] = true, true
		}
	}
}

// namesText renders the index, the newest call first, in at most room bytes.
func namesText(names []Name, dir string, room int) string {
	byCall := slices.Clone(names)
	slices.SortStableFunc(byCall, func(a, b Name) int {
		return cmp.Or(b.At-a.At, strings.Compare(a.Of, b.Of), strings.Compare(a.Path, b.Path))
	})
	var b strings.Builder
	room -= len(namesHeading)
	for len(byCall) > 0 {
		n := 1
		for n < len(byCall) && byCall[n].At == byCall[0].At && byCall[n].Of == byCall[0].Of &&
			byCall[n].Path == byCall[0].Path {
			n++
		}
		entry := nameLine(byCall[:n], dir)
		byCall = byCall[n:]
		if len(entry) <= room-b.Len() {
			b.WriteString(entry)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return namesHeading + b.String()
}

// nameLine is the names of one call or message, "" where the call's own label has
// them all.
func nameLine(names []Name, dir string) string {
	of := orElse(names[0].Of, "said")
	if path := names[0].Path; path != "" {
		of += "(" + shortPath(under(dir, path), indexedCall) + ")"
	}
	var b strings.Builder
	for i := range names {
		if word := under(dir, names[i].Word); !strings.Contains(of, word) {
			b.WriteString(" " + word)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "- " + strconv.Itoa(names[0].At) + " " + of + ":" + b.String() + "\n"
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// Names reads what the turns [from, to) name, adds it to what was known of the turns
// before, and returns the table, ranked for a record of all of them. calls are those
// that the turns make.
func Names(s *Source, known json.RawMessage, calls []transcript.Call, from, to int) *NameTable {
	t := DecodeNames(known)
	t.Add(readNames(s, calls, from, to))
	t.Rank(s.place(to))
	return t
}

// Encode returns the table as it is stored.
func (t *NameTable) Encode() json.RawMessage {
	stored, _ := json.Marshal(t) // strings and numbers: it cannot fail
	return stored
}

func readNames(s *Source, calls []transcript.Call, from, to int) *NameTable {
	t := newNameTable()
	for i := from; i < to; i++ {
		switch s.Messages[i].Role() {
		case chat.Assistant:
			t.readSaid(s, s.text(i), i, false)
		case chat.User:
			t.readSaid(s, s.Message(i).Words(), i, s.Message(i).Speaker == transcript.Person)
		}
	}
	for c := range calls {
		t.readCall(s, &calls[c], to)
	}
	return t
}

// readSaid reads what the assistant or a person said.
func (t *NameTable) readSaid(s *Source, text string, i int, asked bool) {
	place := s.place(i)
	reference.Each(s.redacted(text), func(word string, kind reference.Kind) {
		n := t.at(word, kind, place)
		n.Said = i + 1
		if asked {
			n.Asked++
		} else {
			n.Used = place
		}
	})
}

// readCall reads what a call and its result name.
func (t *NameTable) readCall(s *Source, c *transcript.Call, to int) {
	at, shows := s.place(c.Caller), len(t.Calls)
	made := callLine{At: c.Caller + 1, Text: s.redacted(Describe(c, indexedCall))}
	if len(c.Paths) == 1 && c.Command == "" {
		made.Text, made.Path = toolName(c.Name), s.redacted(c.Paths[0].Name)
	}
	t.Calls = append(t.Calls, made)
	if c.SetsTodos() {
		return // its items stand in the record
	}
	reference.Each(s.redacted(c.Texts()), func(word string, kind reference.Kind) {
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
	at = s.place(c.Result)
	reference.Each(s.redacted(transcript.Output(s.Messages[c.Result].Text())),
		func(word string, kind reference.Kind) {
			n := t.at(word, kind, at)
			n.Shown++
			n.Call = shows
		})
}
