package probe

import (
	"sort"
	"strings"
)

// Fault is a statement that cannot be trusted, and why.
type Fault struct {
	Statement int  // its place among those that were checked
	Invented  bool // it names what the messages do not
	Turned    bool // it says the opposite of what they say
}

// Check examines statements about the messages, one by one in what they say and together in what they leave open: a task
// told as done in one of them and as open in another is told wrong by one alone. Lines that begin with "#" are headings of
// those behind them. What the statements leave out is no fault. It returns the faults by their places.
func (e *Exam) Check(statements []string) []Fault {
	var text strings.Builder
	starts := make([]int, 0, len(statements))
	for _, s := range statements {
		starts = append(starts, text.Len())
		s = strings.Join(strings.Fields(s), " ")
		if !strings.HasPrefix(s, "#") {
			text.WriteString("- ")
		}
		text.WriteString(s + "\n")
	}
	d := compile(text.String(), true)
	faults := map[int]*Fault{}
	of := func(sentence int) *Fault {
		at := d.sentences[sentence].to - 1 // a heading's mark may stand before its first token
		start := int(d.tokens[at].start)
		i := sort.Search(len(starts), func(i int) bool { return starts[i] > start }) - 1
		if faults[i] == nil {
			faults[i] = &Fault{Statement: i}
		}
		return faults[i]
	}
	for _, n := range e.unknown(d) {
		of(n.s).Invented = true
	}
	for _, t := range e.turned(d) {
		of(t.s).Turned = true
	}
	out := make([]Fault, 0, len(faults))
	for i := range statements {
		if f := faults[i]; f != nil && !strings.HasPrefix(statements[i], "#") {
			out = append(out, *f)
		}
	}
	return out
}
